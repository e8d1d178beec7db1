package io.sluicemq.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Rules for what the compiler leaves no trace of. */
class SourceTest {
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?[\\w.]+\\.(\\w+);$");

    @Test
    void shouldImportNothingUnused() {
        List<String> unused = new ArrayList<>();
        for (String module : Product.builtModules()) {
            for (String folder : List.of("src/main/java", "src/test/java")) {
                for (Path file : Product.sources(module, folder)) {
                    unusedImports(Product.read(file)).forEach(line -> unused.add(file + ": " + line));
                }
            }
        }
        assertThat(unused).isEmpty();
    }

    @Test
    void shouldTellUnusedImportsFromUsedOnes() {
        String source = """
                import static a.b.C.used;
                import static a.b.C.unused;
                import a.b.Other;
                import a.b.Documented;

                /** See {@link Documented}. */
                class Another { int x = used(); }
                """;
        assertThat(unusedImports(source)).containsExactly("import static a.b.C.unused;", "import a.b.Other;");
    }

    private static List<String> unusedImports(String source) {
        String body = IMPORT.matcher(source).replaceAll("");
        List<String> unused = new ArrayList<>();
        Matcher matcher = IMPORT.matcher(source);
        while (matcher.find()) {
            if (!Pattern.compile("\\b" + matcher.group(1) + "\\b").matcher(body).find()) {
                unused.add(matcher.group());
            }
        }
        return unused;
    }
}
