package io.sluicemq.management.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.management.http.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConsoleFilesTest {

    private static final Path SOURCES = Path.of("src/main/resources/io/sluicemq/management/console");
    private static final Pattern IMPORT = Pattern.compile("from '(\\.[^']+)';");

    @Test
    void shouldServeEachOfItsFilesAndNoOther() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            assertThat(files.filter(Files::isRegularFile).map(each -> SOURCES.relativize(each).toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(Stream.of(Console.INDEX), Console.FILES.stream()).toList());
        }
        assertThat(Console.routes()).extracting(Route::path).contains("/", "/console/app.js").doesNotHaveDuplicates();
    }

    @Test
    void shouldImportWhatThereIs() {
        for (String name : Console.FILES.stream().filter(each -> each.endsWith(".js")).toList()) {
            Matcher imports = IMPORT.matcher(text(name));
            while (imports.find()) {
                Path imported = Path.of(name).resolveSibling(imports.group(1)).normalize();
                assertThat(Console.FILES).as(name).contains(imported.toString());
            }
        }
    }

    /** What a policy without {@code unsafe-inline} would forbid, and what would take text for markup. */
    @Test
    void shouldHaveNeitherInlineCodeNorMarkupOfText() {
        for (String name : Console.FILES) {
            assertThat(text(name)).as(name)
                    .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                            "DOMParser")
                    .doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
        }
        assertThat(text(Console.INDEX)).doesNotContain("<style", "style=", " on", "<script>");
    }

    private static String text(String name) {
        return new String(StaticFile.read(name).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldTellByItsTagWhetherAFileIsTheSame() {
        StaticFile file = StaticFile.read("app.js");

        assertThat(file.tag()).matches("\"[\\w-]{16}\"").isEqualTo(StaticFile.read("app.js").tag());
        assertThat(List.of("*", file.tag(), "W/" + file.tag(), "\"x\", " + file.tag())).allMatch(file::isNamedBy);
        assertThat(file.isNamedBy("\"x\"")).isFalse();
        assertThat(file.isNamedBy(null)).isFalse();
    }
}
