package io.sluicemq.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads what the broker's processes have used, from Linux's {@code /proc}. Immutable; any thread.
 */
public final class ProcessProbe {

    /** USER_HZ, the unit of the times in /proc/PID/stat: 100 on every Linux a JDK runs on. */
    private static final long MICROS_PER_TICK = 10_000;

    /** Positions after the command's closing bracket, where 0 is the state (field 3 of proc(5)). */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    private final Path proc;
    private final List<Long> pids;

    public ProcessProbe(List<Long> pids) {
        this(Path.of("/proc"), pids);
    }

    ProcessProbe(Path proc, List<Long> pids) {
        this.proc = proc;
        this.pids = pids;
    }

    /**
     * @param cpuMicros user and system time of all threads, living and ended
     * @param rssBytes  resident memory now
     */
    public record Usage(long cpuMicros, long rssBytes) {}

    /**
     * The sum over all processes.
     *
     * @throws BenchFailure if one of them does not exist (any more) or this is not Linux
     */
    public Usage read() throws BenchFailure {
        long cpuMicros = 0;
        long rssBytes = 0;
        for (long pid : pids) {
            Path folder = proc.resolve(Long.toString(pid));
            try {
                cpuMicros += cpuMicros(Files.readString(folder.resolve("stat")));
                rssBytes += rssBytes(Files.readString(folder.resolve("status")));
            } catch (IOException e) {
                throw new BenchFailure("--pid " + pid + ": no such process (" + folder + " cannot be read)", e);
            }
        }
        return new Usage(cpuMicros, rssBytes);
    }

    static long cpuMicros(String stat) {
        // The command's name may hold spaces and brackets: fields are counted from its last bracket.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS])) * MICROS_PER_TICK;
    }

    static long rssBytes(String status) {
        return status.lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .findFirst()
                .orElse(0);
    }
}
