package io.sluicemq.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the tests look at: the checkout with its sources and documents, and the product's compiled classes. */
final class Product {
    private static final String OWN_PACKAGE = "/io/sluicemq/architecture/";

    private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");

    static final Path ROOT = findRoot();
    static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains(OWN_PACKAGE))
            .importPackages("io.sluicemq");

    private Product() {}

    /** The folder above the working directory that has the table of modules. */
    private static Path findRoot() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("docs/architecture.md"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no docs/architecture.md at or above " + Path.of("").toAbsolutePath());
    }

    static ModuleTable modules() {
        return ModuleTable.parse(read(ROOT.resolve("docs/architecture.md")));
    }

    /** The folders of all modules that the build has, the test modules among them. */
    static List<String> builtModules() {
        return MODULE.matcher(read(ROOT.resolve("pom.xml"))).results().map(result -> result.group(1)).toList();
    }

    /** The Java files of one of a module's source folders, for example {@code src/main/java}; none if it has none. */
    static List<Path> sources(String module, String sourceFolder) {
        Path folder = ROOT.resolve(module).resolve(sourceFolder);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
