package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the Debian package that was just built, and runs a broker from it, where there is dpkg. */
class DebianPackageIT {

    @TempDir
    Path root;

    @Test
    void shouldHoldABrokerThatRuns() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/dpkg-deb")), "needs dpkg-deb");
        Path deb = Path.of("target", "sluicemq_" + Version.ofProduct() + "_all.deb").toAbsolutePath();
        assertThat(Script.run(root, Map.of(), "dpkg-deb", "-x", deb.toString(), root.toString()).exitCode()).isZero();
        String script = root.resolve("usr/share/sluicemq/bin/sluicemq").toString();
        String conf = root.resolve("etc/sluicemq/sluicemq.yaml").toString();

        assertThat(Files.readSymbolicLink(root.resolve("usr/bin/sluicemq")))
                .isEqualTo(Path.of("/usr/share/sluicemq/bin/sluicemq"));
        assertThat(root.resolve("lib/systemd/system/sluicemq.service")).content()
                .contains("ExecStart=/usr/share/sluicemq/bin/sluicemq serve --config /etc/sluicemq/sluicemq.yaml");
        assertThat(root.resolve("usr/share/doc/sluicemq/docs/operating.md")).isRegularFile();
        assertThat(Script.run(root, Map.of(), script, "config", "check", "--config", conf).exitCode()).isZero();
        Process process = Script.builder(
                root, Map.of(), script, "serve", "--config", conf, "--port", "0", "--set", "http.port=0", "--data",
                root.resolve("var/lib/sluicemq").toString()).start();
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).startsWith("SluiceMQ ready in ");
            process.toHandle().destroy();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.toHandle().destroyForcibly();
        }
    }
}
