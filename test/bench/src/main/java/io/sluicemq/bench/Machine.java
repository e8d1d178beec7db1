package io.sluicemq.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What the figures were taken on. Stateless. */
final class Machine {

    private static final int SYNCS = 100;
    private static final int SYNC_BYTES = 64 * 1024;

    private Machine() {}

    /** Processor, cores, memory, kernel and the load tool's Java, in one line. */
    static String description() {
        var system = ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
        return String.format(
                Locale.ROOT,
                "%s, %d cores, %d GiB, %s %s; load tool on Java %s",
                processor(),
                system.getAvailableProcessors(),
                Math.round(system.getTotalMemorySize() / (1024.0 * 1024 * 1024)),
                system.getName(),
                system.getVersion(),
                Runtime.version().feature());
    }

    private static String processor() {
        try {
            return Files.readString(Path.of("/proc/cpuinfo"))
                    .lines()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException notLinux) {
            return System.getProperty("os.arch");
        }
    }

    /** A warning if the machine does other work, which makes figures noise. */
    static Optional<String> busy() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load > 0.5
                ? Optional.of(String.format(
                        Locale.ROOT, "other work is running on this machine (load average %.1f): figures are noise",
                        load))
                : Optional.empty();
    }

    /** Whether what is written to a folder stays in memory, where a sync costs nothing and means nothing. */
    static boolean isMemory(Path folder) throws IOException {
        return Set.of("tmpfs", "ramfs").contains(Files.getFileStore(folder).type());
    }

    /** The file system of a folder, and how long it takes to write 64 KiB in place and have them on the disk. */
    static String disk(Path folder) throws IOException {
        FileStore store = Files.getFileStore(folder);
        long[] nanos = new long[SYNCS];
        Path file = Files.createTempFile(folder, "sluicemq-compare-", ".sync");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocateDirect(SYNC_BYTES);
            for (int i = -SYNCS; i < SYNCS; i++) {
                // The first time round the file grows, which a log that has its segments made in advance does not pay.
                long begun = System.nanoTime();
                channel.write(block.clear(), (long) Math.floorMod(i, SYNCS) * SYNC_BYTES);
                channel.force(false);
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - begun;
                }
            }
        } finally {
            Files.delete(file);
        }
        Arrays.sort(nanos);
        return String.format(
                Locale.ROOT,
                "disk: %s on %s; 64 KiB written and synced in %.2f ms (median of %d)",
                store.type(),
                store.name(),
                nanos[SYNCS / 2] / 1e6,
                SYNCS);
    }
}
