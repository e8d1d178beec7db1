package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdkTest {

    @TempDir
    Path folder;

    private Path jdk(String name, String version) throws IOException {
        Path home = folder.resolve(name);
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    @Test
    void shouldReadTheVersionOfEachInstalledOne() throws IOException {
        List<Path> homes = List.of(
                jdk("a", "17.0.15"), jdk("b", "25"), jdk("c", "1.8.0_402"), folder.resolve("absent"));

        assertThat(Jdk.installed(homes)).extracting(Jdk::feature).containsExactly(17, 25, 8);
    }

    @Test
    void shouldFindTheOneThatRunsThisTest() {
        int own = Runtime.version().feature();

        assertThat(Jdk.newest(own, own)).hasValueSatisfying(jdk -> assertThat(jdk.java()).isExecutable());
        assertThat(Jdk.newest(5, 5)).isEmpty();
    }
}
