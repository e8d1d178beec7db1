package io.sluicemq.server.config;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where this repository's files are that belong to no module. */
final class Repository {

    private Repository() {}

    /** The file at {@code path} below the repository's root, which is the folder above that has a {@code docs}. */
    static Path file(String path) {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("no folder above has a folder docs");
        }
        return folder.resolve(path);
    }
}
