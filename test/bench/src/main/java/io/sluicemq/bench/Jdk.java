package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An installed JDK or JRE.
 *
 * @param feature the first number of its version
 */
record Jdk(Path home, int feature) {

    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"(?:1\\.)?(\\d+)");

    Path java() {
        return home.resolve("bin/java");
    }

    /** The newest one installed whose version is within the bounds: in JAVA_HOME, on the PATH or in a usual folder. */
    static Optional<Jdk> newest(int least, int most) {
        return installed(places()).stream()
                .filter(jdk -> jdk.feature() >= least && jdk.feature() <= most)
                .max(Comparator.comparingInt(Jdk::feature));
    }

    static List<Jdk> installed(List<Path> homes) {
        List<Jdk> found = new ArrayList<>();
        for (Path home : homes) {
            Path release = home.resolve("release");
            if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isReadable(release)) {
                continue;
            }
            try {
                Matcher version = VERSION.matcher(Files.readString(release));
                if (version.find()) {
                    found.add(new Jdk(home, Integer.parseInt(version.group(1))));
                }
            } catch (IOException unreadable) {
                // Then this one can't be started either; another may do.
                continue;
            }
        }
        return found;
    }

    private static List<Path> places() {
        List<Path> homes = new ArrayList<>();
        homes.add(Path.of(System.getProperty("java.home")));
        String javaHome = System.getenv("JAVA_HOME");
        if (javaHome != null && !javaHome.isBlank()) {
            homes.add(Path.of(javaHome));
        }
        for (Path folder : List.of(
                Path.of("/usr/lib/jvm"),
                Path.of("/opt"),
                Path.of(System.getProperty("user.home"), ".jdks"),
                Path.of(System.getProperty("user.home"), ".sdkman/candidates/java"))) {
            try (Stream<Path> entries = Files.list(folder)) {
                entries.sorted().forEach(homes::add);
            } catch (IOException absent) {
                continue;
            }
        }
        return homes;
    }
}
