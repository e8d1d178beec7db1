package io.sluicemq.architecture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The modules and the arrows between them, as the table in {@code docs/architecture.md} has them. A row may name only
 * modules of rows above it, so the arrows can't form a circle. What a row names that has a dot is the package of a
 * library; a library without one ({@code picocli}) may not bear the name of a module.
 */
record ModuleTable(List<Module> modules) {
    static final String BEGIN = "<!-- modules:begin -->";
    static final String END = "<!-- modules:end -->";

    /**
     * Reads the table between the two markers of a document.
     *
     * @throws IllegalArgumentException if there is no such table, or a row is not understood
     */
    static ModuleTable parse(String document) {
        int begin = document.indexOf(BEGIN);
        int end = document.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("no table between " + BEGIN + " and " + END);
        }
        List<String> rows = document.substring(begin + BEGIN.length(), end).strip().lines().skip(2).toList();
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("the table of modules has no rows");
        }
        List<String> folders = rows.stream().map(row -> cell(row, 1)).toList();
        List<Module> modules = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            modules.add(parseRow(rows.get(i), folders.subList(0, i), folders.subList(i, folders.size())));
        }
        return new ModuleTable(List.copyOf(modules));
    }

    private static Module parseRow(String row, List<String> above, List<String> below) {
        String folder = cell(row, 1);
        String packageName = cell(row, 2);
        if (folder.isEmpty() || !packageName.equals("io.sluicemq." + folder.replace('/', '.'))) {
            throw new IllegalArgumentException("folder and package differ: " + row);
        }
        if (above.contains(folder)) {
            throw new IllegalArgumentException("the module " + folder + " has two rows");
        }
        List<String> modules = new ArrayList<>();
        List<String> libraries = new ArrayList<>();
        for (String name : imports(cell(row, 3)).toList()) {
            if (name.startsWith("io.sluicemq") || name.contains("/") && !above.contains(name) || below.contains(name)) {
                throw new IllegalArgumentException(folder + " may import only modules of rows above it, not " + name);
            }
            (above.contains(name) ? modules : libraries).add(name);
        }
        return new Module(folder, packageName, List.copyOf(modules), List.copyOf(libraries));
    }

    private static String cell(String row, int index) {
        String[] cells = row.strip().split("\\|", -1);
        if (cells.length != 5) {
            throw new IllegalArgumentException("a row must have three cells: " + row);
        }
        return cells[index].strip();
    }

    private static Stream<String> imports(String cell) {
        return Arrays.stream(cell.split(",")).map(String::strip).filter(name -> !name.isEmpty());
    }

    /** The module whose package the given one is in. */
    Optional<Module> owner(String packageName) {
        return modules.stream().filter(module -> module.owns(packageName)).findFirst();
    }

    /** Whether a class in a module's package may use one in another package. */
    boolean allows(Module from, String packageName) {
        Optional<Module> target = owner(packageName);
        if (target.isPresent()) {
            return target.get().equals(from) || from.modules().contains(target.get().folder());
        }
        return from.libraries().stream().anyMatch(library -> Module.isWithin(packageName, library));
    }
}
