package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {

    @TempDir
    private Path folder;

    @Test
    void shouldSayWhatADiskIsAndHowLongASyncTakesAndLeaveNothing() throws Exception {
        assertThat(Machine.disk(folder)).matches("disk: .+ on .+; 64 KiB written and synced in \\d+\\.\\d\\d ms.*");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldTellMemoryFromADisk() throws Exception {
        assertThat(Machine.isMemory(Path.of("/dev/shm"))).isTrue();
        assertThat(Machine.isMemory(Path.of("/proc"))).isFalse();
    }
}
