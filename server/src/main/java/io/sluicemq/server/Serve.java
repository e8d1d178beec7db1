package io.sluicemq.server;

import io.sluicemq.base.option.Place;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.ServerConfig;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker as a process of its own: it starts, says so in one line on standard output, and runs until SIGTERM or SIGINT, upon
 * which it stops in order and ends with code 0. Runs on the main thread, and on the one that the JVM runs at its end.
 */
public final class Serve {

    /** It could not start. */
    public static final int EXIT_FAILED = 1;

    /** The command line or the configuration is wrong. */
    public static final int EXIT_USAGE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Serve.class);
    private static final Path DEFAULT_DATA = Path.of("data");

    private final ServeOptions options;
    private final PrintWriter out;
    private final PrintWriter err;

    private Serve(ServeOptions options, PrintWriter out, PrintWriter err) {
        this.options = options;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs a broker until the process is told to end; then this never returns.
     *
     * @param out gets the one line when the broker is ready
     * @param err gets the reason if it does not start
     * @return {@link #EXIT_USAGE} or {@link #EXIT_FAILED}
     */
    public static int run(ServeOptions options, PrintWriter out, PrintWriter err) {
        return new Serve(options, out, err).run();
    }

    private int run() {
        SluiceMQ broker;
        try {
            broker = SluiceMQ.start(config(options));
        } catch (ConfigException e) {
            e.problems().forEach(err::println);
            err.flush();
            return EXIT_USAGE;
        } catch (StartFailure e) {
            err.println("sluicemq: " + e.getMessage());
            err.flush();
            return EXIT_FAILED;
        }
        // The JVM would end with a code of its own (143 for SIGTERM) when this hook is done: so the hook ends it.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(stop(broker)), "sluicemq-stop"));
        out.println(readyLine(broker, ManagementFactory.getRuntimeMXBean().getUptime()));
        out.flush();
        return waitForEver();
    }

    static ServerConfig config(ServeOptions options) throws ConfigException {
        SluiceMQBuilder builder = new SluiceMQBuilder(Place.of("sluicemq"), "--");
        if (options.config() != null) {
            builder.config(options.config());
        }
        if (options.host() != null) {
            builder.host(options.host());
        }
        if (options.port() != null) {
            builder.port(options.port());
        }
        if (options.loops() != null) {
            builder.loops(options.loops());
        }
        if (options.data() != null) {
            builder.data(options.data());
        }
        ServerConfig config = builder.toConfig();
        return config.data() != null ? config : config.withData(DEFAULT_DATA);
    }

    /** @param millis from the start of the JVM */
    static String readyLine(SluiceMQ broker, long millis) {
        String addresses = broker.addresses().values().stream()
                .map(address -> "amqp://" + address)
                .collect(Collectors.joining(", "));
        Path data = broker.data().orElseThrow();
        String shown =
                data.isAbsolute() || data.startsWith(".") || data.startsWith("..") ? data.toString() : "./" + data;
        return "SluiceMQ ready in " + millis + " ms: " + addresses + " (data in " + shown + ")";
    }

    private static int stop(SluiceMQ broker) {
        LOG.info("stopping");
        try {
            broker.stop();
            LOG.info("stopped");
            return 0;
        } catch (RuntimeException e) {
            LOG.error("the broker has not stopped in order", e);
            return EXIT_FAILED;
        }
    }

    private static int waitForEver() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }
}
