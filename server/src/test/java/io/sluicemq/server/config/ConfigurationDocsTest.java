package io.sluicemq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the written documentation against the options that there are. */
class ConfigurationDocsTest {

    private static final String BEGIN = "<!-- options:begin -->\n";
    private static final String END = "<!-- options:end -->";

    @Test
    void shouldHaveTheReferenceOfTheOptionsThatThereAre() throws IOException {
        String document = Files.readString(Repository.file("docs/configuration.md"));
        String reference = OptionReference.of(ServerOptions.ROOT);
        String written = document.substring(document.indexOf(BEGIN) + BEGIN.length(), document.indexOf(END));

        if (!written.equals(reference)) {
            Files.writeString(Path.of("target/configuration-reference.md"), reference);
        }
        assertThat(written)
                .as("docs/configuration.md between its marks; it should be server/target/configuration-reference.md")
                .isEqualTo(reference);
    }

    @Test
    void shouldReadTheExamplesInTheDocumentation() throws Exception {
        String document = Files.readString(Repository.file("docs/configuration.md"));
        List<String> examples = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(document)
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(examples).isNotEmpty();
        for (String example : examples) {
            read(example);
        }
    }

    @Test
    void shouldShipTheFileAndTheSchemaOfTheOptionsThatThereAre() throws IOException {
        sameAsWritten("dist/src/main/conf/sluicemq.yaml", ShippedFile.of(ServerOptions.ROOT));
        sameAsWritten("dist/src/main/conf/sluicemq.schema.json", JsonSchema.of(ServerOptions.ROOT));
    }

    private static void sameAsWritten(String path, String expected) throws IOException {
        Path file = Repository.file(path);
        String written = Files.exists(file) ? Files.readString(file) : "";
        Path made = Path.of("target", file.getFileName().toString());
        if (!written.equals(expected)) {
            Files.writeString(made, expected);
        }
        assertThat(written).as("%s; it should be server/%s", path, made).isEqualTo(expected);
    }

    @Test
    void shouldShipAFileThatChangesNothing() throws Exception {
        assertThat(read(shippedFile()))
                .isEqualTo(ServerConfig.of(new Settings(ServerOptions.ROOT, Place.of("")), List.of()));
    }

    /** In the file that ships, {@code #key} is an option that is commented out, and {@code # word} is prose. */
    @Test
    void shouldShipAFileThatShowsEveryOption() throws Exception {
        String all = Pattern.compile("(?m)^( *)#(?=\\S)").matcher(shippedFile()).replaceAll("$1");

        ServerConfig config = read(all);

        assertThat(keys(ServerOptions.ROOT))
                .allSatisfy(key -> assertThat(all).containsPattern("(?m)^[ -]*" + key + ":"));
        ServerConfig defaults = ServerConfig.of(new Settings(ServerOptions.ROOT, Place.of("")), List.of());
        assertThat(config.limits()).isEqualTo(defaults.limits());
        assertThat(config.virtualHosts()).isEqualTo(defaults.virtualHosts());
        assertThat(config.listeners()).singleElement().satisfies(listener -> {
            assertThat(listener.name()).isEqualTo(defaults.listeners().getFirst().name());
            assertThat(listener.address()).isEqualTo(defaults.listeners().getFirst().address());
        });
        assertThat(config.anonymousLogin()).isEqualTo(defaults.anonymousLogin());
    }

    private static String shippedFile() throws IOException {
        return Files.readString(Repository.file("dist/src/main/conf/sluicemq.yaml"));
    }

    private static ServerConfig read(String yaml) throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        Settings settings = YamlReader.read(yaml, "example", ServerOptions.ROOT, problems);
        return ServerConfig.of(settings, problems);
    }

    private static List<String> keys(Section section) {
        return section.entries().stream()
                .flatMap(entry -> Stream.concat(Stream.of(entry.key()), below(entry)))
                .toList();
    }

    private static Stream<String> below(Entry entry) {
        return switch (entry) {
            case Option<?> option -> Stream.empty();
            case Section inner -> keys(inner).stream();
            case NamedSections named -> keys(named.item()).stream();
            case SectionList list -> keys(list.item()).stream();
        };
    }
}
