package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUseTest {

    @TempDir
    private Path folder;

    @Test
    void shouldCountFilesAndBytesAtAnyDepth() throws Exception {
        Path below = Files.createDirectories(folder.resolve("a/b"));
        Files.write(below.resolve("segment"), new byte[3 * 1024 * 1024]);
        Files.write(folder.resolve("lock"), new byte[1]);

        assertThat(DiskUse.files(folder)).isEqualTo(2);
        assertThat(DiskUse.bytes(folder)).isBetween(3L * 1024 * 1024, 4L * 1024 * 1024);
        assertThat(DiskUse.mebibytes(DiskUse.bytes(folder))).isEqualTo(3);
    }

    @Test
    void shouldSayThatThereIsNoFolder() {
        assertThatThrownBy(() -> DiskUse.bytes(folder.resolve("none"))).isInstanceOf(PeerFailure.class);
    }
}
