package io.sluicemq.campaign;

import io.sluicemq.server.SluiceMQ;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A SluiceMQ in a process of its own, of which nothing but the broker takes heap. The process tells its port, then answers
 * each line it reads with its used heap after garbage collections, and ends with its standard input. One thread uses this.
 */
final class BrokerProcess implements AutoCloseable {

    private static final int COLLECTIONS = 3;
    private static final String LOGGING = "-Dlogback.configurationFile=io/sluicemq/campaign/logback.xml";

    private final Process process;
    private final BufferedReader answers;
    private final OutputStream questions;
    private final int port;

    private BrokerProcess(Process process) throws IOException {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.questions = process.getOutputStream();
        this.port = Math.toIntExact(answer());
    }

    /** Starts one with this process's Java and class path. */
    static BrokerProcess start() throws IOException {
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", LOGGING, "-cp",
                System.getProperty("java.class.path"), BrokerProcess.class.getName());
        return new BrokerProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Where it listens. */
    BrokerUnderTest broker() {
        return new RunningBroker("127.0.0.1", port, "guest", "guest", "/");
    }

    /** Used heap after garbage collections, in bytes. */
    long heapBytes() throws IOException {
        questions.write('\n');
        questions.flush();
        return answer();
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
        try (SluiceMQ broker = SluiceMQ.builder().port(0).start();
                BufferedReader questions =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("= " + broker.amqpPort());
            while (questions.readLine() != null) {
                for (int i = 0; i < COLLECTIONS; i++) {
                    System.gc();
                }
                System.out.println("= " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
        }
    }
}
