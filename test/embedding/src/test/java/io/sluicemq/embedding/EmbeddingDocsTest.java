package io.sluicemq.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the code in the documentation against this module's, which is compiled and run. */
class EmbeddingDocsTest {

    @Test
    void shouldShowCodeThatRuns() throws IOException {
        String document = Files.readString(Path.of("../../docs/embedding.md"));
        List<String> examples = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(document)
                .results()
                .map(match -> match.group(1))
                .toList();
        String code = allCode();

        assertThat(examples).isNotEmpty().allSatisfy(example -> assertThat(code).contains(words(example)));
    }

    private static String allCode() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/java/io/sluicemq/embedding"))) {
            return files.map(EmbeddingDocsTest::read).map(EmbeddingDocsTest::words).collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text without its layout. */
    private static String words(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
