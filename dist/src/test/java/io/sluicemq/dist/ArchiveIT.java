package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the archive that was just built, somewhere with an awkward name, and starts what is in it. */
class ArchiveIT {
    private static final String JAVA = System.getProperty("java.home");

    @TempDir
    static Path temp;

    /** Where the archive lies unpacked, in a folder whose name has blanks. */
    private static Path home;

    /** A working folder that is not the installation. */
    private static Path elsewhere;

    @BeforeAll
    static void unpack() throws IOException, InterruptedException {
        Path parent = Files.createDirectory(temp.resolve("a folder with blanks"));
        elsewhere = Files.createDirectory(temp.resolve("else where"));
        String name = "sluicemq-" + Version.ofProduct();
        Path archive = Path.of("target", name + ".tar.gz").toAbsolutePath();
        assertThat(archive).isRegularFile();
        assertThat(Script.run(parent, Map.of(), "tar", "-xzf", archive.toString()).exitCode())
                .isZero();
        home = parent.resolve(name);
    }

    @Test
    void shouldHoldWhatPeopleExpect() throws IOException {
        assertThat(home.resolve("bin/sluicemq")).isExecutable();
        assertThat(home.resolve("conf/sluicemq.yaml")).isRegularFile();
        assertThat(home.resolve("docs/getting-started.md")).isRegularFile();
        for (String file : List.of("LICENSE", "README.md", "CHANGELOG.md")) {
            assertThat(home.resolve(file)).isNotEmptyFile();
        }
        try (Stream<Path> files = Files.list(home.resolve("lib"))) {
            assertThat(files).allMatch(file -> file.toString().endsWith(".jar")).hasSizeGreaterThan(10);
        }
    }

    @Test
    void shouldRunFromAnywhereWithoutAWordOfTheJvm() throws Exception {
        assertTellsVersion(Script.run(elsewhere, Map.of("JAVA_HOME", JAVA), script(), "--version"));
    }

    @Test
    void shouldRunThroughLinks() throws Exception {
        Path first = Files.createSymbolicLink(elsewhere.resolve("first link"), Path.of(script()));
        Path second = Files.createSymbolicLink(elsewhere.resolve("second"), first.getFileName());
        assertTellsVersion(Script.run(temp, Map.of("JAVA_HOME", JAVA), second.toString(), "--version"));
    }

    @Test
    void shouldRunAsAPlainJar() throws Exception {
        String jar = home.resolve("lib/sluicemq-dist-" + Version.ofProduct() + ".jar").toString();
        assertTellsVersion(Script.run(elsewhere, Map.of(), JAVA + "/bin/java", "-jar", jar, "--version"));
    }

    @Test
    void shouldPassOverAJavaHomeThatIsTooOld() throws Exception {
        Map<String, String> environment = Map.of("JAVA_HOME", fakeJava("17.0.15").toString(), "JAVA25_HOME", JAVA);
        assertTellsVersion(Script.run(elsewhere, environment, script(), "--version"));
    }

    @Test
    void shouldTakeTheJavaOfThePath() throws Exception {
        Map<String, String> environment = Map.of("PATH", JAVA + "/bin:/usr/bin:/bin");
        assertTellsVersion(Script.run(elsewhere, environment, script(), "--version"));
    }

    @Test
    void shouldSayInOneLineThatTheChosenJavaIsTooOld() throws Exception {
        Path old = fakeJava("1.8.0_402");
        Map<String, String> environment = Map.of("SLUICEMQ_JAVA_HOME", old.toString(), "JAVA_HOME", JAVA);
        Script.Result result = Script.run(elsewhere, environment, script(), "--version");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).containsExactly(
                "sluicemq: SLUICEMQ_JAVA_HOME is a Java 8 (" + old + "), but Java 25 or newer is needed");
    }

    @Test
    void shouldSayInOneLineThatTheChosenJavaIsNone() throws Exception {
        Map<String, String> environment = Map.of("SLUICEMQ_JAVA_HOME", "/nowhere", "JAVA_HOME", JAVA);
        Script.Result result = Script.run(elsewhere, environment, script(), "--version");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).containsExactly("sluicemq: SLUICEMQ_JAVA_HOME has no bin/java that runs: /nowhere");
    }

    @Test
    void shouldSayInOneLineThatItsFolderHasAColon() throws Exception {
        Path folder = Files.createDirectories(temp.resolve("co:lon/bin"));
        Path copy = Files.copy(Path.of(script()), folder.resolve("sluicemq"), StandardCopyOption.COPY_ATTRIBUTES);
        Script.Result result = Script.run(elsewhere, Map.of("JAVA_HOME", JAVA), copy.toString(), "--version");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).singleElement().asString()
                .startsWith("sluicemq: Java cannot run from a folder with a colon in its name: ");
    }

    @Test
    void shouldSayInOneLineThatTheInstallationIsNotWhole() throws Exception {
        Path folder = Files.createDirectories(temp.resolve("not whole/bin"));
        Path copy = Files.copy(Path.of(script()), folder.resolve("sluicemq"), StandardCopyOption.COPY_ATTRIBUTES);
        Script.Result result = Script.run(elsewhere, Map.of("JAVA_HOME", JAVA), copy.toString(), "--version");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).singleElement().asString().endsWith("not whole: it has no lib/sluicemq-dist-*.jar");
    }

    @Test
    void shouldRefuseALogLevelThatIsNone() throws Exception {
        Map<String, String> environment = Map.of("JAVA_HOME", JAVA, "SLUICEMQ_LOG_LEVEL", "LOUD");
        Script.Result result = Script.run(elsewhere, environment, script(), "--version");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).containsExactly(
                "sluicemq: SLUICEMQ_LOG_LEVEL is 'LOUD': expected ERROR, WARN, INFO, DEBUG or TRACE");
    }

    @Test
    void shouldRefuseALogFormatThatIsNone() throws Exception {
        Map<String, String> environment = Map.of("JAVA_HOME", JAVA, "SLUICEMQ_LOG_FORMAT", "xml");
        Script.Result result = Script.run(elsewhere, environment, script(), "--version");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .containsExactly("sluicemq: SLUICEMQ_LOG_FORMAT is 'xml': expected text or json");
    }

    @Test
    void shouldTakePathsBeyondAsciiInThePlainLocale() throws Exception {
        // Nothing but the shell touches the path: this JVM may run in that locale itself.
        Path command = Files.writeString(temp.resolve("command.sh"), """
                mkdir -p 'dätä'
                echo 'loops: many' > 'dätä/ö.yaml'
                exec "$SCRIPT" serve --config 'dätä/ö.yaml'
                """);
        Map<String, String> environment = Map.of("JAVA_HOME", JAVA, "LC_ALL", "C", "SCRIPT", script());
        Script.Result result = Script.run(elsewhere, environment, "sh", command.toString());
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .containsExactly("dätä/ö.yaml:1:8: loops is 'many': expected a whole number from 1 to 1024");
    }

    @Test
    void shouldHandTheUsersOptionsToTheJvm() throws Exception {
        Map<String, String> environment = Map.of(
                "JAVA_HOME", JAVA, "JAVA_OPTS", "-Xmx64m -Dfirst=1", "SLUICEMQ_JAVA_OPTS",
                "-XX:+PrintCommandLineFlags");
        Script.Result result = Script.run(elsewhere, environment, script(), "--version");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().getFirst()).contains("-XX:MaxHeapSize=67108864");
    }

    @Test
    void shouldEndWithCodeTwoForAWrongOption() throws Exception {
        Script.Result result = Script.run(elsewhere, Map.of("JAVA_HOME", JAVA), script(), "bench", "--nonsense");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err().getFirst()).isEqualTo("sluicemq bench: there is no option --nonsense");
    }

    private static String script() {
        return home.resolve("bin/sluicemq").toString();
    }

    private static void assertTellsVersion(Script.Result result) {
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).singleElement().asString().startsWith("SluiceMQ " + Version.ofProduct());
        assertThat(result.exitCode()).isZero();
    }

    /** A folder that looks like a Java of some version, whose program must not be run. */
    private static Path fakeJava(String version) throws IOException {
        Path folder = Files.createTempDirectory(temp, "java");
        Path program = Files.createDirectory(folder.resolve("bin")).resolve("java");
        Files.writeString(program, "#!/bin/sh\nexit 99\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return folder;
    }
}
