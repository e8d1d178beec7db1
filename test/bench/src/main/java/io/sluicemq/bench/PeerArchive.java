package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A broker's distribution, fetched from Maven Central once and kept unpacked in a cache.
 *
 * @param group    Maven group
 * @param artifact Maven artifact; its {@code tar.gz} with the classifier {@code bin} is meant
 */
record PeerArchive(String group, String artifact, String version) {

    private static final Duration FETCH_LIMIT = Duration.ofMinutes(15);
    private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

    /** {@code $SLUICEMQ_PEERS}, or a folder in the user's cache. */
    static Path cache() {
        String chosen = System.getenv("SLUICEMQ_PEERS");
        return chosen == null || chosen.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache", "sluicemq-peers")
                : Path.of(chosen).toAbsolutePath();
    }

    /** The folder the archive unpacks to; fetches and unpacks it unless that was done before. */
    Path unpacked(Sandbox sandbox, Path checkout) throws PeerFailure, InterruptedException {
        Path home = cache().resolve(artifact + "-" + version + "-unpacked");
        if (Files.isDirectory(home)) {
            return home;
        }
        try {
            Files.createDirectories(cache());
            String file = artifact + "-" + version + "-bin.tar.gz";
            Path archive = cache().resolve(file);
            if (!Files.exists(archive)) {
                fetch(sandbox, checkout, file, archive);
            }
            // Unpacked beside its place and then moved, so that an interrupted run leaves nothing half-made.
            Path beside = Files.createTempDirectory(cache(), artifact + "-");
            sandbox.run(
                    "unpack " + artifact,
                    beside,
                    Map.of(),
                    Duration.ofMinutes(5),
                    List.of("tar", "xzf", archive.toString()));
            Files.move(beside, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new PeerFailure("cannot unpack " + artifact + " into " + cache() + ": " + e.getMessage(), e);
        }
        return home;
    }

    private void fetch(Sandbox sandbox, Path checkout, String file, Path archive)
            throws PeerFailure, IOException, InterruptedException {
        Path wrapper = checkout.resolve("mvnw");
        sandbox.run(
                "fetch " + artifact,
                sandbox.folder(),
                Map.of(),
                FETCH_LIMIT,
                List.of(
                        Files.isExecutable(wrapper) ? wrapper.toString() : "mvn",
                        "-q",
                        "-B",
                        COPY,
                        "-Dartifact=" + group + ":" + artifact + ":" + version + ":tar.gz:bin",
                        "-DoutputDirectory=" + sandbox.folder(),
                        "-Dmdep.useBaseVersion=true"));
        Path beside = Files.createTempFile(archive.getParent(), artifact, ".part");
        Files.move(sandbox.folder().resolve(file), beside, StandardCopyOption.REPLACE_EXISTING);
        Files.move(beside, archive, StandardCopyOption.ATOMIC_MOVE);
    }
}
