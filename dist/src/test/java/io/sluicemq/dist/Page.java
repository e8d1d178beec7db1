package io.sluicemq.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documentation as tests see it: its blocks, and its text without them. What a page needs for its test alone stands in
 * comments that no reader sees: a mark before a block, or a whole block.
 *
 * @param name its path below the root, with slashes
 * @param prose what stands outside of blocks and comments, line by line, so that the first is line 1 of the page; others are empty
 */
record Page(String name, List<Block> blocks, List<String> prose) {

    /** The root of the repository, as the modules one level below it see it. */
    static final Path ROOT = Path.of("..");

    private static final Pattern FENCE = Pattern.compile("( *)```(.*)");
    private static final Pattern COMMENT = Pattern.compile("<!-- (.*?)( -->)?");

    /** Pages below the root that are no page of {@code docs}. */
    private static final List<String> OUTSIDE = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md");

    /** What a comment says of the block behind it. */
    enum Mark {
        /** The block is run, or saved, or held against its language, as all are. */
        NONE(""),
        /** It can't be: the reason follows. */
        NOT_RUN("not run: "),
        /** Its one command goes on while the blocks behind it are run, as if in a terminal of its own. */
        GOES_ON("goes on"),
        /** It is a file of the name that follows, in the working folder. */
        SAVED_AS("saved as "),
        /** It is what the block before it prints, among other lines: digits stand for any, and … for anything. */
        PRINTS("prints");

        private final String words;

        Mark(String words) {
            this.words = words;
        }

        private static Mark of(String comment) {
            for (Mark mark : values()) {
                if (mark != NONE && (mark.words.endsWith(" ")
                        ? comment.startsWith(mark.words) && comment.length() > mark.words.length()
                        : comment.equals(mark.words))) {
                    return mark;
                }
            }
            return NONE;
        }
    }

    /**
     * A block.
     *
     * @param line where it begins, for messages
     * @param detail what the mark says beside what it is
     */
    record Block(int line, String language, Mark mark, String detail, String text) {}

    /** All pages. */
    static List<Page> all() {
        return Stream.concat(OUTSIDE.stream().map(Page::read), in("docs")).toList();
    }

    /** Those in a folder below the root. */
    static Stream<Page> in(String folder) {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.map(file -> folder + "/" + file.getFileName())
                    .filter(name -> name.endsWith(".md"))
                    .sorted()
                    .map(Page::read)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The page of that path below the root. */
    static Page read(String name) {
        try {
            return of(name, Files.readAllLines(ROOT.resolve(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A page of these lines. */
    static Page of(String name, List<String> lines) {
        return new Reader(lines).page(name);
    }

    /** The blocks in a language. */
    List<Block> blocks(String language) {
        return blocks.stream().filter(block -> block.language().equals(language)).toList();
    }

    /** For messages. */
    String at(Block block) {
        return name + ":" + block.line();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Reads one page from its first line to its last. */
    private static final class Reader {
        private final List<String> lines;
        private final List<Block> blocks = new ArrayList<>();
        private final List<String> prose = new ArrayList<>();
        private int next;

        Reader(List<String> lines) {
            this.lines = lines;
        }

        Page page(String name) {
            String mark = "";
            while (next < lines.size()) {
                int line = next + 1;
                String text = lines.get(next++);
                Matcher fence = FENCE.matcher(text);
                Matcher comment = COMMENT.matcher(text);
                if (fence.matches()) {
                    blocks.add(block(line, fence.group(2), mark, until(fence.group(1) + "```", fence.group(1))));
                    mark = "";
                } else if (comment.matches() && comment.group(2) != null) {
                    mark = comment.group(1);
                } else if (comment.matches()) {
                    String[] words = comment.group(1).split(", ", 2);
                    blocks.add(block(line, words[0], words.length == 1 ? "" : words[1], until("-->", "")));
                } else {
                    mark = text.isBlank() ? mark : "";
                    prose.set(grow(line), text);
                }
            }
            return new Page(name, List.copyOf(blocks), List.copyOf(prose));
        }

        private int grow(int line) {
            while (prose.size() < line) {
                prose.add("");
            }
            return line - 1;
        }

        private String until(String end, String indent) {
            StringBuilder text = new StringBuilder();
            while (next < lines.size()) {
                String line = lines.get(next++);
                if (line.equals(end)) {
                    return text.toString();
                }
                text.append(line.startsWith(indent) ? line.substring(indent.length()) : line).append('\n');
            }
            throw new IllegalStateException("a block has no end: " + text);
        }

        private static Block block(int line, String language, String comment, String text) {
            Mark mark = Mark.of(comment);
            return new Block(line, language, mark, comment.substring(mark.words.length()), text);
        }
    }
}
