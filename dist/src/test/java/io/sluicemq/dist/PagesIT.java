package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Does what each page of the documentation says, with the archive that was just built. {@link PagesTest} sees to it that a block is run here, or says
 * why it can't be.
 */
class PagesIT {

    private static final int AT_A_TIME = 2;

    /** All that this page tells is done by {@link CliDocsTest}. */
    private static final String COMMAND_LINE = "docs/cli.md";

    @TempDir
    static Path temp;

    private static final Map<String, Boolean> FOUND = new HashMap<>();
    private static final Map<String, Future<List<String>>> RUNS = new HashMap<>();
    private static ExecutorService threads;

    static List<Page> pages() {
        return Page.all().stream()
                .filter(page -> !page.name().equals(COMMAND_LINE))
                .filter(page -> PageRun.isFor(page) || !page.blocks("yaml").isEmpty())
                .toList();
    }

    @BeforeAll
    static void begin() throws Exception {
        Path installation = Installation.get().home();
        threads = Executors.newFixedThreadPool(AT_A_TIME);
        for (Page page : pages()) {
            if (missing(page) == null) {
                Path folder = Files.createDirectory(temp.resolve(page.name().replaceAll("\\W", "-")));
                RUNS.put(page.name(), threads.submit(() -> new PageRun(page, folder, installation).run()));
            }
        }
    }

    @AfterAll
    static void end() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldDoWhatThePageSays(Page page) throws Exception {
        String missing = missing(page);
        assumeTrue(missing == null, () -> page + " needs what this machine lacks: " + missing);

        assertThat(RUNS.get(page.name()).get()).isEmpty();
    }

    private static String missing(Page page) {
        for (Map.Entry<String, List<String>> need : PageRun.needs().entrySet()) {
            if (page.blocks().stream().anyMatch(block -> block.text().contains(need.getKey()))
                    && !FOUND.computeIfAbsent(need.getKey(), key -> works(need.getValue()))) {
                return need.getKey();
            }
        }
        return null;
    }

    private static boolean works(List<String> command) {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor() == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
