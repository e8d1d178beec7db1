package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a JVM has on its heap after a collection, asked by the JDK's {@code jcmd}. Stateless. */
final class LiveHeap {

    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)\\s*$");

    private static final long LIMIT_SECONDS = 60;

    private LiveHeap() {}

    /**
     * Bytes of all objects that are reachable; empty if the process is no JVM or does not answer within a minute, or if
     * this Java has no {@code jcmd}.
     *
     * @param folder for the answer, which is long
     */
    static OptionalLong bytes(long pid, Path folder) throws InterruptedException {
        Path answer = folder.resolve("live-heap-" + pid + ".log");
        try {
            Process jcmd = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                    Long.toString(pid),
                    "GC.class_histogram")
                    .redirectErrorStream(true)
                    .redirectOutput(answer.toFile())
                    .start();
            if (!jcmd.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                jcmd.destroyForcibly();
                return OptionalLong.empty();
            }
            Matcher total = TOTAL.matcher(Files.readString(answer));
            return jcmd.exitValue() == 0 && total.find()
                    ? OptionalLong.of(Long.parseLong(total.group(1)))
                    : OptionalLong.empty();
        } catch (IOException noSuchTool) {
            return OptionalLong.empty();
        }
    }
}
