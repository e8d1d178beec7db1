package io.sluicemq.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the sections of a specification that tests name in their sources: in {@code @Spec} or in the comment of a class or a method,
 * or in a line {@code // ----} that heads the methods below it. It is for modules that can't depend on the tests with real clients.
 */
final class SpecComments {

    private static final Pattern SECTION = Pattern.compile(
            "(?<!Jakarta Messaging )§(\\d+(?:\\.\\d+)*)(?: to §(\\d+(?:\\.\\d+)*))?");
    private static final Pattern TYPE = Pattern.compile("^(?:public )?(?:final )?class (\\w+)");
    private static final Pattern METHOD = Pattern.compile("^ {4}(?:public )?void (should\\w+)\\(");
    private static final Pattern COMMENT = Pattern.compile("^\\s*(?:/\\*\\*|\\*|//|@Spec)");
    private static final String HEADING = "    // ----";

    private SpecComments() {}

    /**
     * Adds what tests below a folder name, each section with {@code prefix}, to the tests by section.
     *
     * @param names how the files' names begin
     */
    static void collect(Path folder, String names, String prefix, Map<String, TreeSet<String>> tests)
            throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> isNamed(each, names)).toList()) {
                collect(Files.readAllLines(file), prefix, tests);
            }
        }
    }

    private static boolean isNamed(Path file, String names) {
        String name = file.getFileName().toString();
        return name.startsWith(names) && name.endsWith(".java");
    }

    private static void collect(List<String> lines, String prefix, Map<String, TreeSet<String>> tests) {
        String type = null;
        List<String> ofType = List.of();
        List<String> ofHeading = List.of();
        List<String> pending = new ArrayList<>();
        for (String line : lines) {
            Matcher declared = TYPE.matcher(line);
            Matcher method = METHOD.matcher(line);
            if (line.startsWith(HEADING)) {
                ofHeading = sections(line);
            } else if (COMMENT.matcher(line).find()) {
                pending.addAll(sections(line));
            } else if (declared.find()) {
                type = declared.group(1);
                ofType = List.copyOf(pending);
                pending.clear();
            } else if (method.find()) {
                List<String> all = new ArrayList<>(pending);
                all.addAll(ofHeading);
                for (String section : all) {
                    tests.computeIfAbsent(prefix + section, key -> new TreeSet<>()).add(type + "." + method.group(1));
                }
                for (String section : ofType) {
                    tests.computeIfAbsent(prefix + section, key -> new TreeSet<>()).add(type);
                }
                pending.clear();
            } else if (line.isBlank()) {
                pending.clear();
            }
        }
    }

    private static List<String> sections(String line) {
        List<String> sections = new ArrayList<>();
        SECTION.matcher(line).results().forEach(found -> {
            String first = found.group(1);
            sections.add("§" + first);
            if (found.group(2) != null) {
                int dot = first.lastIndexOf('.') + 1;
                int last = Integer.parseInt(found.group(2).substring(found.group(2).lastIndexOf('.') + 1));
                for (int i = Integer.parseInt(first.substring(dot)) + 1; i <= last; i++) {
                    sections.add("§" + first.substring(0, dot) + i);
                }
            }
        });
        return sections;
    }
}
