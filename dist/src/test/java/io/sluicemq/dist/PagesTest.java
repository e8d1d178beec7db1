package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.dist.Page.Block;
import io.sluicemq.dist.Page.Mark;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

/** What can be said of the documentation without running anything. {@link PagesIT} runs its commands and programs. */
class PagesTest {

    private static final List<Page> PAGES = Page.all();
    private static final Set<String> LANGUAGES = Set.of("sh", "text", "yaml", "java", "python", "json", "xml");

    /** Pages whose Java is held by a test against code that is compiled and run. */
    private static final Map<String, String> COMPILED = Map.of(
            "docs/embedding.md", "test/embedding/src/test/java/io/sluicemq/embedding/EmbeddingDocsTest.java");

    /** Each has the reason in its mark. */
    private static final int NOT_RUN = 9;

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private static final Pattern LINK = Pattern.compile("(?<!!)\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final CommandLine COMMANDS = Main.commandLine(Main.commands());

    private final List<String> problems = new ArrayList<>();

    @Test
    void shouldSayOfEveryBlockWhatItIs() {
        PAGES.forEach(page -> page.blocks().forEach(block -> check(
                LANGUAGES.contains(block.language()), page, block.line(),
                "a block has the language '" + block.language() + "', which is none of " + LANGUAGES)));

        assertThat(problems).isEmpty();
    }

    /** What can't be run is little, so a mark is looked at twice. */
    @Test
    void shouldRunEveryBlockOrSayWhyNot() {
        int left = 0;
        for (Page page : PAGES) {
            for (Block block : page.blocks()) {
                left += block.mark() == Mark.NOT_RUN ? 1 : 0;
                checkMark(page, block);
                if (block.language().equals("java")) {
                    checkProgram(page, block);
                }
            }
        }

        assertThat(problems).isEmpty();
        assertThat(left).as("blocks that are not run").isEqualTo(NOT_RUN);
    }

    private void checkMark(Page page, Block block) {
        boolean fits = switch (block.mark()) {
            case NONE, NOT_RUN -> true;
            case GOES_ON -> Set.of("sh", "python").contains(block.language());
            case SAVED_AS -> !block.language().equals("text");
            case PRINTS -> block.language().equals("text");
        };
        check(fits, page, block.line(), "a block of " + block.language() + " can't be " + block.mark());
    }

    private void checkProgram(Page page, Block block) {
        if (COMPILED.containsKey(page.name()) || block.mark() == Mark.NOT_RUN) {
            return;
        }
        String program = PageRun.program(block);
        check(program != null && page.blocks("sh").stream().anyMatch(each -> each.text().contains(program)),
                page, block.line(), "no command of the page runs the program, and it has no mark");
    }

    @Test
    void shouldHaveJsonAndXmlThatCanBeRead() {
        for (Page page : PAGES) {
            page.blocks("json").forEach(block -> JsonMapper.shared().readTree(block.text()));
            for (Block block : page.blocks("xml")) {
                try {
                    DocumentBuilderFactory.newInstance().newDocumentBuilder()
                            .parse(new InputSource(new StringReader("<all>" + block.text() + "</all>")));
                } catch (Exception e) {
                    problems.add(page.at(block) + ": " + e.getMessage());
                }
            }
        }

        assertThat(problems).isEmpty();
    }

    /** In the text, and where a block is not run. */
    @Test
    void shouldNameCommandsAndOptionsThatThereAre() {
        int found = 0;
        for (Page page : PAGES) {
            for (Block block : page.blocks("sh")) {
                for (String line : block.text().replace("\\\n", " ").split("\n")) {
                    found += checkCommand(page, block.line(), line.strip());
                }
            }
            for (int i = 0; i < page.prose().size(); i++) {
                Matcher code = CODE.matcher(page.prose().get(i));
                while (code.find()) {
                    found += checkCommand(page, i + 1, code.group(1));
                }
            }
        }

        assertThat(problems).isEmpty();
        assertThat(found).isGreaterThan(150);
    }

    /** @return 1 if it was one */
    private int checkCommand(Page page, int line, String command) {
        String[] words = command.replaceAll("\\s#\\s.*|^(\\w+=\\S* )+|\\$\\([^)]*\\)", "").strip().split("[\\s|]+");
        if (words.length == 0) {
            return 0;
        }
        if (words[0].matches("(\\S*/)?bin/[a-z-]+") && !words[0].endsWith("bin/sluicemq")) {
            checkScript(page, line, words);
            return 1;
        }
        boolean named = words[0].matches("(\\S*bin/)?sluicemq") && words.length > 1
                && !words[1].endsWith(","); // as who has done something begins in the log
        boolean withoutName = words.length > 1 && Main.commands().contains(words[0]) && command.contains(" --");
        if (!named && !withoutName) {
            return 0;
        }
        CommandLine at = COMMANDS;
        boolean alternatives = command.matches("[a-z ]+\\|.*");
        for (int i = named ? 1 : 0; i < words.length; i++) {
            String word = words[i].replaceAll("[,:'…\\])]+$|^[\\[(']", "").replaceAll("=.*", "");
            CommandLine below = at.getSubcommands().get(word);
            if (below != null) {
                at = alternatives && i > 1 ? at : below;
            } else if (word.matches("--?[a-z].*")) {
                check(at.getCommandSpec().findOption(word) != null, page, line,
                        "'" + command + "': " + at.getCommandSpec().qualifiedName() + " has no option " + word);
            } else if (!at.getSubcommands().isEmpty() && word.matches("[a-z-]+")) {
                check(false, page, line, "'" + command + "': there is no command " + word);
                return 1;
            }
        }
        return 1;
    }

    /** An option of a script is one of the program that it starts. */
    private void checkScript(Page page, int line, String[] words) {
        Path script = Page.ROOT.resolve(words[0].substring(words[0].indexOf("bin/")));
        if (!Files.isExecutable(script)) {
            check(false, page, line, "there is no " + words[0]);
            return;
        }
        String sources = SOURCES.computeIfAbsent(script, PagesTest::sources);
        for (String word : words) {
            if (word.startsWith("--")) {
                check(sources.contains(word.replaceAll("=.*", "")), page, line, words[0] + " knows no " + word);
            }
        }
    }

    private static final Map<Path, String> SOURCES = new HashMap<>();

    /** The text of a script, and of the classes beside the one that it starts. */
    private static String sources(Path script) {
        try {
            String text = Files.readString(script);
            Matcher type = Pattern.compile("(io\\.sluicemq\\.[a-z.]+)\\.([A-Z]\\w+)").matcher(text);
            StringBuilder all = new StringBuilder(text);
            while (type.find()) {
                Path file = Path.of(type.group(1).replace('.', '/'), type.group(2) + ".java");
                try (Stream<Path> modules = Files.list(Page.ROOT.resolve("test"))) {
                    for (Path module : modules.toList()) {
                        for (String kind : List.of("src/main/java", "src/test/java")) {
                            Path found = module.resolve(kind).resolve(file);
                            all.append(Files.exists(found) ? folder(found.getParent()) : "");
                        }
                    }
                }
            }
            return all.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String folder(Path folder) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    @Test
    void shouldNameFilesThatThereAre() {
        for (Page page : PAGES) {
            for (int i = 0; i < page.prose().size(); i++) {
                Matcher code = CODE.matcher(page.prose().get(i));
                while (code.find()) {
                    String name = code.group(1);
                    check(!name.matches("(conf|extras|docs)/[\\w./-]+")
                            || Files.exists(Page.ROOT.resolve(name))
                            || Files.exists(Page.ROOT.resolve("dist/src/main").resolve(name)),
                            page, i + 1, "there is no " + name);
                }
            }
        }

        assertThat(problems).isEmpty();
    }

    @Test
    void shouldLinkToWhatThereIs() {
        Map<Path, Set<String>> anchors = new HashMap<>();
        for (Page page : Stream.concat(PAGES.stream(), Page.in("docs/decisions")).toList()) {
            Path file = Page.ROOT.resolve(page.name()).normalize();
            for (int i = 0; i < page.prose().size(); i++) {
                Matcher links = LINK.matcher(page.prose().get(i));
                while (links.find()) {
                    String link = links.group(1);
                    if (!link.matches("[a-z]+:.*")) {
                        checkLink(anchors, page, i + 1, file, link);
                    }
                }
            }
        }

        assertThat(problems).isEmpty();
    }

    private void checkLink(Map<Path, Set<String>> anchors, Page page, int line, Path file, String link) {
        String path = link.replaceAll("#.*", "");
        String anchor = link.contains("#") ? link.substring(link.indexOf('#') + 1) : "";
        Path target = path.isEmpty() ? file : file.resolveSibling(path).normalize();
        boolean there = Files.exists(target);
        check(there, page, line, "there is no " + link);
        if (there && !anchor.isEmpty()) {
            check(anchors.computeIfAbsent(target, PagesTest::anchors).contains(anchor), page, line,
                    "there is no heading for " + link);
        }
    }

    /** As GitHub makes them: lower case, without punctuation, a hyphen for each blank, a number behind one that was there. */
    private static Set<String> anchors(Path file) {
        Set<String> anchors = new HashSet<>();
        Page page = Page.read(Page.ROOT.relativize(file).toString());
        for (String line : page.prose()) {
            if (line.matches("#+ .*")) {
                String slug = line.replaceAll("^#+ +", "")
                        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
                String unique = slug;
                for (int i = 1; !anchors.add(unique); i++) {
                    unique = slug + "-" + i;
                }
            }
        }
        return anchors;
    }

    @Test
    void shouldLeaveJavaToTestsThatThereAre() {
        COMPILED.forEach((page, test) -> assertThat(Page.ROOT.resolve(test)).content().contains(page));
    }

    private void check(boolean holds, Page page, int line, String otherwise) {
        if (!holds) {
            problems.add(page.name() + ":" + line + ": " + otherwise);
        }
    }
}
