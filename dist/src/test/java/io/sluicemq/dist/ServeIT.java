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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs brokers from the archive that was just built. */
class ServeIT {

    @TempDir
    static Path temp;

    private static Path home;

    @BeforeAll
    static void install() throws IOException, InterruptedException {
        home = Installation.get().home();
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
                    .contains(" INFO  SMQ5001 DurableStore: the log in data/log has 0 queues with 0 messages");
            assertThat(log.get(1)).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  SMQ1001 Serve: SluiceMQ \\S+ on Java .*");
            assertThat(log.get(2)).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  SMQ1002 Serve: stopping");
            assertThat(log.getLast()).matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  SMQ1003 Serve: stopped");
        } finally {
            process.toHandle().destroyForcibly();
        }
    }

    @Test
    void shouldLogJsonIfTold() throws Exception {
        Process process = Script.builder(temp, Map.of("SLUICEMQ_LOG_FORMAT", "json"),
                home.resolve("bin/sluicemq").toString(), "serve", "--port", "0", "--set", "http.port=0", "--data",
                "json").start();
        try (BufferedReader out = process.inputReader(); BufferedReader err = process.errorReader()) {
            assertThat(out.readLine()).startsWith("SluiceMQ ready in ");
            process.toHandle().destroy();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();

            List<JsonNode> log = err.lines().map(JsonMapper.shared()::readTree).toList();
            assertThat(log).allSatisfy(line -> assertThat(line.propertyNames()).containsExactlyInAnyOrder(
                    "timestamp", "level", "threadName", "loggerName", "event", "formattedMessage", "throwable"));
            assertThat(log)
                    .extracting(line -> line.get("event").stringValue())
                    .containsExactly("SMQ5001", "SMQ1001", "SMQ1002", "SMQ1003");
        } finally {
            process.toHandle().destroyForcibly();
        }
    }

    @Test
    void shouldStartFromWhatPrepareHasMade() throws Exception {
        Script.Result prepared = Installation.get().prepared();
        assertThat(prepared.err()).isEmpty();
        assertThat(prepared.out()).singleElement().asString().startsWith("Made " + home.resolve("lib/sluicemq.aot"));

        Script.Result traced = Script.run(temp, Map.of("SLUICEMQ_JAVA_OPTS", "-Xlog:class+load"),
                home.resolve("bin/sluicemq").toString(), "--version");
        assertThat(traced.out()).anySatisfy(line -> assertThat(line)
                .contains("io.sluicemq.dist.Main source: shared objects file"));
        // One that doesn't fit is no reason to say anything.
        Script.Result other = Script.run(temp, Map.of("SLUICEMQ_JAVA_OPTS", "-XX:-UseCompactObjectHeaders"),
                home.resolve("bin/sluicemq").toString(), "--version");
        assertThat(other.exitCode()).isZero();
        assertThat(other.err()).isEmpty();
        assertThat(other.out()).hasSize(1);
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
    void shouldTakeSingleKeysFromTheEnvironmentAndTheCommandLine() throws Exception {
        Script.Result result = Script.run(temp, Map.of("SLUICEMQ__LIMITS__HEARTBEAT", "7s", "SLUICEMQ_PORT", "tcp://x"),
                home.resolve("bin/sluicemq").toString(), "config", "show-effective", "--set", "loops=3");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .anySatisfy(line -> assertThat(line).matches(" *heartbeat: 7s +# SLUICEMQ__LIMITS__HEARTBEAT"));
        assertThat(result.out()).anySatisfy(line -> assertThat(line).matches("loops: 3 +# --set"));
    }

    @Test
    void shouldCheckAndExplainConfigurations() throws Exception {
        Path conf = home.resolve("conf/sluicemq.yaml");
        Script.Result checked = run("config", "check", "--config", conf.toString());
        Script.Result explained = run("config", "explain", "limits.heartbeat");

        assertThat(checked.exitCode()).isZero();
        assertThat(checked.out()).containsExactly(conf + " is valid.");
        assertThat(explained.out()).first().isEqualTo("limits.heartbeat");
        assertThat(run("config", "schema").out())
                .isEqualTo(Files.readAllLines(home.resolve("conf/sluicemq.schema.json")));
        assertThat(run("config").exitCode()).isEqualTo(2);
    }

    @Test
    void shouldEndWithCodeTwoForAWrongOption() throws Exception {
        assertThat(run("serve", "--port", "66000").exitCode()).isEqualTo(2);
        assertThat(run("serve", "--port", "amqp").exitCode()).isEqualTo(2);
    }

    @Test
    void shouldEndWithCodeOneForAFolderThatIsNotItsOwn() throws Exception {
        Script.Result result = run("serve", "--port", "0", "--set", "http.port=0", "--data", home.toString());

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
