package io.sluicemq.interop.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.campaign.EmbeddedBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the JMS programs that stand in the documentation as it says: by the source launcher, with all of the libraries. */
class DocumentedProgramsTest {

    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    static List<Arguments> programs() {
        return List.of(
                Arguments.of("README.md", "Orders", List.of("two espressos")),
                Arguments.of(
                        "docs/getting-started.md", "Shop",
                        List.of("two espressos", "two espressos, again", "one tea", "coffee for 1", "coffee for 2")));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void shouldDoWhatTheySay(String document, String name, List<String> lines) throws Exception {
        Path source = folder.resolve(name + ".java");
        Path errors = folder.resolve("errors");
        try (EmbeddedBroker broker = EmbeddedBroker.start()) {
            Files.writeString(source, program(document, name).replace("127.0.0.1:5672", "127.0.0.1:" + broker.port()));
            Process process = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                    source.toString())
                    .redirectError(errors.toFile())
                    .start();
            try {
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
                assertThat(output.lines()).containsSubsequence(lines);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static String program(String document, String name) throws IOException {
        Matcher programs = PROGRAM.matcher(Files.readString(ROOT.resolve(document)));
        while (programs.find()) {
            String program = programs.group(1);
            if (program.contains("class " + name + " ") && program.contains("JmsConnectionFactory")) {
                return program;
            }
        }
        throw new AssertionError(document + " has no program " + name);
    }
}
