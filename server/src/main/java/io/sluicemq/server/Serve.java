package io.sluicemq.server;

import io.sluicemq.api.users.UserView;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.option.Place;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.ServerConfig;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker as a process of its own: it starts, says so in one line on standard output, and runs until SIGTERM or SIGINT, upon
 * which it stops in order and ends with code 0. Meanwhile it logs the broker's numbers, every five minutes if they have changed.
 * Runs on the main thread, and on the one that the JVM runs at its end.
 */
public final class Serve {

    /** It could not start. */
    public static final int EXIT_FAILED = 1;

    /** The command line or the configuration is wrong. */
    public static final int EXIT_USAGE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Serve.class);
    private static final Logger COUNTERS_LOG = LoggerFactory.getLogger(Serve.class.getPackageName() + ".Counters");
    private static final Duration COUNTERS_INTERVAL = Duration.ofMinutes(5);
    private static final int SHOWN_USERS = 10;
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
     * Runs a broker until the process is told to end; then this never returns. It returns if the broker's log fails.
     *
     * @param out gets the one line when the broker is ready
     * @param err gets the reason if it does not start
     * @return {@link #EXIT_USAGE} or {@link #EXIT_FAILED}
     */
    public static int run(ServeOptions options, PrintWriter out, PrintWriter err) {
        return new Serve(options, out, err).run();
    }

    private int run() {
        ServerConfig config;
        SluiceMQ broker;
        try {
            ConfigSource.Reading reading = source(options).read();
            config = reading.config();
            broker = SluiceMQ.start(reading);
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
                .addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(stop(broker)), "sluicemq-exit"));
        HangUp.then(() -> reload(broker));
        LogEvent.BROKER_STARTED.log(LOG,
                "{}", startLine(config, broker.users().list().stream().map(UserView::name).toList()));
        out.println(readyLine(broker, ManagementFactory.getRuntimeMXBean().getUptime()));
        out.flush();
        return waitForEver(broker, config.limits().messageMemory());
    }

    /** Where {@code --port} and the like are written: errors about them begin as the command does. */
    static final Place OPTIONS = Place.of("sluicemq");

    static ConfigSource source(ServeOptions options) {
        SluiceMQBuilder builder = new SluiceMQBuilder(OPTIONS, "--");
        if (options.config() != null) {
            builder.config(options.config());
        }
        builder.changed(Overrides.environment(options.environment()));
        builder.changed(Overrides.commandLine("--set", options.set()));
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
        return builder.defaultData(DEFAULT_DATA).defaultHttp(true).source();
    }

    /** @param millis from the start of the JVM */
    static String readyLine(SluiceMQ broker, long millis) {
        String addresses = String.join(", ", broker.uris());
        Path data = broker.data().orElseThrow();
        String shown =
                data.isAbsolute() || data.startsWith(".") || data.startsWith("..") ? data.toString() : "./" + data;
        return "SluiceMQ ready in " + millis + " ms: " + addresses + " (data in " + shown + ")";
    }

    /** Upon SIGHUP: what has changed is in the log, and so is why nothing has. */
    private static void reload(SluiceMQ broker) {
        try {
            broker.reload("SIGHUP");
        } catch (ConfigException e) {
            LogEvent.CONFIGURATION_INVALID.log(LOG, "the configuration is not valid, so nothing of it has changed:");
            e.problems().forEach(problem -> LogEvent.CONFIGURATION_MISTAKE.log(LOG, "{}", problem));
        } catch (IllegalStateException e) {
            LogEvent.CONFIGURATION_NOT_READ.log(LOG, "nothing was read again: {}", e.getMessage());
        }
    }

    private static int stop(SluiceMQ broker) {
        LogEvent.BROKER_STOPPING.log(LOG, "stopping");
        try {
            broker.stop();
            LogEvent.BROKER_STOPPED.log(LOG, "stopped");
            return broker.failure().isDone() ? EXIT_FAILED : 0;
        } catch (RuntimeException e) {
            LogEvent.STOP_FAILED.log(LOG, "the broker has not stopped in order", e);
            return EXIT_FAILED;
        }
    }

    /** What an operator wants to know first about a broker whose log is all there is. */
    static String startLine(ServerConfig config, List<String> users) {
        return "SluiceMQ " + Version.ofProduct() + " on Java " + Runtime.version() + ": loops " + config.loops()
                + ", heap " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB, message memory "
                + (config.limits().messageMemory() >> 20) + " MiB, virtual hosts "
                + String.join(", ", config.virtualHosts()) + ", users "
                + users.stream().limit(SHOWN_USERS).collect(Collectors.joining(", "))
                + (users.size() > SHOWN_USERS ? " and " + (users.size() - SHOWN_USERS) + " more" : "");
    }

    private static void logCounters(SluiceMQ broker, CountersLine counters) {
        try {
            String line = counters.next(broker.counters(), broker.listenerCounters().values());
            if (line != null) {
                LogEvent.COUNTERS.log(COUNTERS_LOG, "{}", line);
            }
        } catch (IllegalStateException e) {
            // A loop that does not answer is no reason to end; that it doesn't is worth a line.
            LogEvent.COUNTERS_MISSING.log(COUNTERS_LOG, "no counters this time: {}", e.getMessage());
        }
    }

    private static int waitForEver(SluiceMQ broker, long messageMemoryBytes) {
        CountersLine counters = new CountersLine(messageMemoryBytes);
        CountDownLatch failed = new CountDownLatch(1);
        broker.failure().thenAccept(reason -> failed.countDown());
        try {
            while (!failed.await(COUNTERS_INTERVAL.toSeconds(), TimeUnit.SECONDS)) {
                logCounters(broker, counters);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
        return EXIT_FAILED;
    }
}
