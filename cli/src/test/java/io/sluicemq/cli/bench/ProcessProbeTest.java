package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessProbeTest {

    private static final String STAT =
            "%d (beam (1) .smp) S 1 17 17 0 -1 4194560 8000 0 3 0 150 50 7 9 20 0 27 0 6000 2300000000 45000 1 2 3";

    @TempDir
    Path proc;

    private void process(long pid, int residentKilobytes) throws IOException {
        Path folder = Files.createDirectory(proc.resolve(Long.toString(pid)));
        Files.writeString(folder.resolve("stat"), STAT.formatted(pid));
        Files.writeString(
                folder.resolve("status"), "Name:\tbeam\nVmHWM:\t  999999 kB\nVmRSS:\t  " + residentKilobytes + " kB\n");
    }

    @Test
    void shouldAddUserAndSystemTimeAndResidentMemoryOfAllProcesses() throws Exception {
        process(17, 100);
        process(18, 20);

        ProcessProbe.Usage usage = new ProcessProbe(proc, List.of(17L, 18L)).read();

        assertThat(usage.cpuMicros()).isEqualTo(2 * (150 + 50) * 10_000L);
        assertThat(usage.rssBytes()).isEqualTo(120 * 1024L);
    }

    @Test
    void shouldNameTheProcessThatIsGone() throws Exception {
        process(17, 100);

        assertThatThrownBy(() -> new ProcessProbe(proc, List.of(17L, 19L)).read())
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("--pid 19: no such process");
    }

    @Test
    void shouldReadNothingWithoutProcesses() throws Exception {
        assertThat(new ProcessProbe(List.of()).read()).isEqualTo(new ProcessProbe.Usage(0, 0));
    }
}
