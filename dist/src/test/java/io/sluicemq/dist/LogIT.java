package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the archive that was just built, and looks into logs with it: the one that is kept of the log's first format. */
class LogIT {

    private static final Path GOLDEN = Path.of("../store/src/test/resources/io/sluicemq/store/format-1.zip");
    private static final String FIRST_SEGMENT = "0000000000000000.log";

    @TempDir
    static Path temp;

    private static Path script;

    @TempDir
    Path data;

    @BeforeAll
    static void install() throws IOException, InterruptedException {
        script = Path.of(Installation.get().script());
    }

    @Test
    void shouldVerifyAndDump() throws Exception {
        Path log = unpackGolden();

        Script.Result verified = run("log", "verify", data.toString());
        assertThat(verified.exitCode()).isZero();
        assertThat(verified.out()).endsWith("whole").anyMatch(line -> line.startsWith(FIRST_SEGMENT + ": "));
        assertThat(verified.err()).isEmpty();

        Script.Result dumped = run("log", "dump", log.toString(), "--from", "0x1000", "--payload");
        assertThat(dumped.exitCode()).isZero();
        assertThat(dumped.out().getFirst()).matches("4096 type 1, 5 bytes, .*: 6669727374");
        assertThat(dumped.out()).endsWith("whole");
    }

    @Test
    void shouldEndWithCodeOneForDamage() throws Exception {
        Path segment = unpackGolden().resolve(FIRST_SEGMENT);
        byte[] bytes = Files.readAllBytes(segment);
        bytes[4096 + 14] ^= 1;
        Files.write(segment, bytes);

        Script.Result result = run("log", "verify", data.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out())
                .anyMatch(line -> line.startsWith("DAMAGED " + FIRST_SEGMENT + " at offset 4096: "))
                .endsWith("1 damaged");
    }

    @Test
    void shouldEndWithCodeTwoForARunningBrokersFolder() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                script.toString(), "serve", "--port", "0", "--set", "http.enabled=false", "--data", data.toString())
                .directory(temp.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process broker = builder.start();
        try (BufferedReader out = broker.inputReader()) {
            assertThat(out.readLine()).startsWith("SluiceMQ ready");

            Script.Result result = run("log", "verify", data.toString());

            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.out()).isEmpty();
            assertThat(result.err())
                    .containsExactly("sluicemq: data folder " + data + " is in use by process " + broker.pid()
                            + ": stop the broker first");
            broker.toHandle().destroy();
            assertThat(broker.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            broker.toHandle().destroyForcibly();
        }
    }

    @Test
    void shouldEndWithCodeTwoForAFolderWithoutALog() throws Exception {
        Script.Result result = run("log", "verify", data.toString());

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .containsExactly("sluicemq: no log in " + data + ": it holds no folder 'log' and no .log file");
    }

    private Path unpackGolden() throws IOException {
        Path log = Files.createDirectory(data.resolve("log"));
        try (InputStream in = Files.newInputStream(GOLDEN);
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Files.write(log.resolve(Path.of(entry.getName()).getFileName()), zip.readAllBytes());
            }
        }
        return log;
    }

    private static Script.Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        return Script.run(
                temp, Map.of("JAVA_HOME", System.getProperty("java.home")), command.toArray(String[]::new));
    }
}
