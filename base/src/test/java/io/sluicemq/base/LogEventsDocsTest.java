package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documentation of log events, and the ids that any of it has. */
class LogEventsDocsTest {

    private static final String BEGIN = "<!-- events:begin -->\n";
    private static final String END = "<!-- events:end -->";

    @Test
    void shouldHaveTheReferenceOfTheEventsThatThereAre() throws IOException {
        String document = Files.readString(docs().resolve("log-events.md"));
        String reference = reference();
        String written = document.substring(document.indexOf(BEGIN) + BEGIN.length(), document.indexOf(END));

        if (!written.equals(reference)) {
            Files.writeString(Path.of("target/log-events-reference.md"), reference);
        }
        assertThat(written)
                .as("docs/log-events.md between its marks; it should be base/target/log-events-reference.md")
                .isEqualTo(reference);
    }

    @Test
    void shouldNameNoEventThatThereIsNot() throws IOException {
        List<String> ids = Arrays.stream(LogEvent.values()).map(LogEvent::id).toList();
        try (Stream<Path> documents = Files.list(docs())) {
            for (Path document : documents.filter(file -> file.toString().endsWith(".md")).toList()) {
                List<String> named = Pattern.compile("SMQ\\d{4}")
                        .matcher(Files.readString(document))
                        .results()
                        .map(match -> match.group())
                        .toList();
                assertThat(ids).as(document.toString()).containsAll(named);
            }
        }
    }

    private static String reference() {
        StringBuilder reference = new StringBuilder();
        LogEvent.Area area = null;
        for (LogEvent event : LogEvent.values()) {
            if (event.area() != area) {
                area = event.area();
                reference.append("\n### ").append(area.title())
                        .append("\n\n| id | level | when | what to do |\n| --- | --- | --- | --- |\n");
            }
            reference.append("| ").append(event.id()).append(" | ").append(event.level()).append(" | ")
                    .append(event.says()).append(" | ").append(event.advice()).append(" |\n");
        }
        return reference.append('\n').toString();
    }

    private static Path docs() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("no folder above has a folder docs");
        }
        return folder.resolve("docs");
    }
}
