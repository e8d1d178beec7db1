package io.sluicemq.campaign;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.SluiceMQBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A SluiceMQ in a process of its own, of which nothing but the broker takes heap. The process tells its port, then answers
 * each line it reads with its used heap after garbage collections, and ends with its standard input. One thread uses this.
 */
public final class BrokerProcess implements AutoCloseable {

    private static final int COLLECTIONS = 3;
    private static final String HTTP = "--http";
    private static final String LOGGING = "-Dlogback.configurationFile=io/sluicemq/campaign/logback.xml";

    private final Process process;
    private final BufferedReader answers;
    private final OutputStream questions;
    private final int port;

    private final int httpPort;

    private BrokerProcess(Process process, boolean http) throws IOException {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.questions = process.getOutputStream();
        this.port = Math.toIntExact(answer());
        this.httpPort = http ? Math.toIntExact(answer()) : -1;
    }

    /** Starts one with this process's Java and class path, which keeps all in memory. */
    static BrokerProcess start() throws IOException {
        return start(List.of());
    }

    /** Starts one that keeps all in memory, and that operators reach over HTTP. */
    public static BrokerProcess startWithHttp() throws IOException {
        return start(List.of(HTTP));
    }

    /** Where operators reach it, if it was started so. */
    public int httpPort() {
        return httpPort;
    }

    /**
     * Starts one with a data folder.
     *
     * @param memory by address: how many bytes of its messages may be in memory
     */
    public static BrokerProcess start(Map<String, Long> memory) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(Files.createTempDirectory("sluicemq-process-").toString()));
        memory.forEach((address, bytes) -> arguments.addAll(List.of(address, bytes.toString())));
        return start(arguments);
    }

    private static BrokerProcess start(List<String> arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
                        "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", LOGGING, "-cp",
                        System.getProperty("java.class.path"), BrokerProcess.class.getName()));
        command.addAll(arguments);
        return new BrokerProcess(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start(),
                arguments.contains(HTTP));
    }

    /** Where it listens. */
    public BrokerUnderTest broker() {
        return new RunningBroker("127.0.0.1", port, "guest", "guest", "/");
    }

    /** Used heap after garbage collections, in bytes. */
    public long heapBytes() throws IOException {
        questions.write('\n');
        questions.flush();
        return answer();
    }

    /** Memory of it that is resident, in bytes. */
    public long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        throw new IOException("the system doesn't say what is resident");
    }

    private long answer() throws IOException {
        String line = answers.readLine();
        while (line != null && !line.startsWith("= ")) {
            line = answers.readLine();
        }
        if (line == null) {
            throw new IOException("the broker's process has ended");
        }
        return Long.parseLong(line.substring(2));
    }

    @Override
    public void close() {
        try {
            questions.close();
            process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The process. */
    public static void main(String[] arguments) throws IOException {
        SluiceMQBuilder builder = SluiceMQ.builder().port(0);
        boolean http = List.of(arguments).contains(HTTP);
        if (http) {
            builder.httpPort(0);
        }
        Path data = arguments.length == 0 || http ? null : Path.of(arguments[0]);
        if (data != null) {
            builder.data(data);
        }
        for (int i = 1; i < arguments.length; i += 2) {
            builder.addressSettings(AddressSetting.match(arguments[i]).maxSizeBytes(Long.parseLong(arguments[i + 1]))
                    .fullPolicy(FullPolicy.PAGE));
        }
        try (SluiceMQ broker = builder.start();
                BufferedReader questions =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("= " + broker.amqpPort());
            broker.httpUri().ifPresent(uri -> System.out.println("= " + URI.create(uri).getPort()));
            while (questions.readLine() != null) {
                for (int i = 0; i < COLLECTIONS; i++) {
                    System.gc();
                }
                System.out.println("= " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
        }
        if (data != null) {
            EmbeddedBroker.delete(data);
        }
    }
}
