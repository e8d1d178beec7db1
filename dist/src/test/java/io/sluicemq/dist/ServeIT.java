package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the archive that was just built, and runs a broker from it. */
class ServeIT {

    @TempDir
    static Path temp;

    private static Path home;

    @BeforeAll
    static void unpack() throws IOException, InterruptedException {
        String name = "sluicemq-" + Version.ofProduct();
        Path archive = Path.of("target", name + ".tar.gz").toAbsolutePath();
        assertThat(Script.run(temp, Map.of(), "tar", "-xzf", archive.toString()).exitCode()).isZero();
        home = temp.resolve(name);
    }

    @Test
    void shouldServeUntilItIsToldToEnd() throws Exception {
        Process process = start(
                "serve", "--port", "0", "--set", "http.port=0", "--config",
                home.resolve("conf/sluicemq.yaml").toString());
        try (BufferedReader out = process.inputReader(); BufferedReader err = process.errorReader()) {
            assertThat(out.readLine())
                    .matches("SluiceMQ ready in \\d+ ms: amqp://127\\.0\\.0\\.1:\\d+, http://127\\.0\\.0\\.1:\\d+"
                            + " \\(data in \\./data\\)");

            process.toHandle().destroy();

            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(out.readLine()).isNull();
            List<String> log = err.lines().toList();
            assertThat(log).hasSize(4);
            assertThat(log.getFirst())
                    .contains(" INFO  DurableStore: the log in data/log has 0 queues with 0 messages");
            assertThat(log.get(1)).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  Serve: SluiceMQ \\S+ on Java .*");
            assertThat(log.get(2)).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  Serve: stopping");
            assertThat(log.getLast()).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  Serve: stopped");
        } finally {
            process.toHandle().destroyForcibly();
        }
    }

    @Test
    void shouldEndWithCodeTwoForAWrongConfiguration() throws Exception {
        Path file = Files.writeString(temp.resolve("wrong.yaml"), "lops: 4\n");

        Script.Result result = run("serve", "--config", file.toString());

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).containsExactly(file + ":1:1: unknown key 'lops': did you mean 'loops'?");
    }

    @Test
    void shouldEndWithCodeTwoForAWrongOption() throws Exception {
        assertThat(run("serve", "--port", "66000").exitCode()).isEqualTo(2);
        assertThat(run("serve", "--port", "amqp").exitCode()).isEqualTo(2);
    }

    @Test
    void shouldEndWithCodeOneForAFolderThatIsNotItsOwn() throws Exception {
        Script.Result result = run("serve", "--port", "0", "--data", home.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .singleElement()
                .asString()
                .startsWith("sluicemq: data folder " + home + " is not SluiceMQ's: it holds ");
    }

    private static Script.Result run(String... arguments) throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 1];
        command[0] = home.resolve("bin/sluicemq").toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return Script.run(temp, Map.of("JAVA_HOME", System.getProperty("java.home")), command);
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new java.util.ArrayList<>(List.of(home.resolve("bin/sluicemq").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(temp.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.start();
    }
}
