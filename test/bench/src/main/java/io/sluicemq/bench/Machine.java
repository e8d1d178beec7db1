package io.sluicemq.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** What the figures were taken on. Stateless. */
final class Machine {

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
}
