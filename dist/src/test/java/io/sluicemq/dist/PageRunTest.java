package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.dist.Page.Block;
import io.sluicemq.dist.Page.Mark;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a page which tells no truth is found out. */
class PageRunTest {

    @TempDir
    Path temp;

    @Test
    void shouldReadBlocksAndTheirMarks() {
        Page page = page("""
                # A page
                <!-- not run: it takes long -->
                ```sh
                sleep 100
                ```
                <!-- sh, goes on
                sluicemq serve
                -->
                <!-- saved as a.yaml -->

                ```yaml
                loops: 1
                ```
                <!-- prints -->
                Text.
                ```
                no language
                ```
                """);

        assertThat(page.blocks()).containsExactly(
                new Block(3, "sh", Mark.NOT_RUN, "it takes long", "sleep 100\n"),
                new Block(6, "sh", Mark.GOES_ON, "", "sluicemq serve\n"),
                new Block(11, "yaml", Mark.SAVED_AS, "a.yaml", "loops: 1\n"),
                new Block(16, "", Mark.NONE, "", "no language\n"));
        assertThat(page.prose()).element(14).isEqualTo("Text.");
    }

    @Test
    void shouldHaveNothingToSayOfAPageThatHolds() throws Exception {
        assertThat(problems("""
                <!-- saved as broker.yaml -->
                ```yaml
                loops: 1
                ```
                ```sh
                cat broker.yaml; echo 'took 20 ms'; echo 'and more'
                ```
                <!-- prints -->
                ```text
                loops: 7
                took 1.5 s
                an…e
                ```
                """)).isEmpty();
    }

    @Test
    void shouldTellACommandThatFails() throws Exception {
        assertThat(problems("""
                ```sh
                true
                ```
                ```sh
                cat nowhere
                true
                ```
                """)).singleElement().asString().startsWith("page.md:4: a command has failed with 1\ncat: nowhere");
    }

    @Test
    void shouldTellOutputThatIsAnother() throws Exception {
        assertThat(problems("""
                ```sh
                echo one; echo two
                ```
                <!-- prints -->
                ```text
                two
                one
                ```
                """)).singleElement().asString().startsWith("page.md:5: 'one' is not what is printed then");
    }

    @Test
    void shouldTellAConfigurationThatIsNotValid() throws Exception {
        assertThat(problems("""
                ```yaml
                lops: 4
                ```
                """)).singleElement().asString().contains("page.md:1: ", "unknown key 'lops': did you mean 'loops'?");
    }

    private List<String> problems(String text) throws Exception {
        return new PageRun(page(text), temp, Path.of("target")).run();
    }

    private static Page page(String text) {
        return Page.of("page.md", text.lines().toList());
    }
}
