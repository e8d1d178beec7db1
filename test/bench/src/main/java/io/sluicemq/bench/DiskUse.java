package io.sluicemq.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a folder takes of its disk, as {@code du} counts it: blocks, also of files made in advance. Stateless. */
final class DiskUse {

    private static final Pattern KIBIBYTES = Pattern.compile("^(\\d+)\\s");

    private DiskUse() {}

    /** Bytes now. A file that goes while {@code du} is looking is not counted and no failure. */
    static long bytes(Path folder) throws PeerFailure, InterruptedException {
        try {
            Process du = new ProcessBuilder("du", "-sk", folder.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            du.waitFor();
            Matcher kibibytes = KIBIBYTES.matcher(said);
            if (!kibibytes.find()) {
                throw new PeerFailure("du cannot read " + folder);
            }
            return Long.parseLong(kibibytes.group(1)) * 1024;
        } catch (IOException e) {
            throw new PeerFailure("cannot run du: " + e.getMessage(), e);
        }
    }

    /** Files in it now, at any depth. */
    static long files(Path folder) throws IOException {
        long[] count = new long[1];
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                count[0]++;
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                // It was there a moment ago: the broker has just deleted it.
                return FileVisitResult.CONTINUE;
            }
        });
        return count[0];
    }

    static long mebibytes(long bytes) {
        return bytes / (1024 * 1024);
    }
}
