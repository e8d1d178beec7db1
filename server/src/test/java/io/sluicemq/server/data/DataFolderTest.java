package io.sluicemq.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluicemq.server.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataFolderTest {

    private static final String FORMAT = "sluicemq data folder, format 1\n";

    @TempDir
    Path temp;

    @Test
    void shouldCreateTheFolderAndMarkItAsItsOwn() throws Exception {
        Path path = temp.resolve("a/b");

        try (DataFolder folder = DataFolder.open(path)) {
            assertThat(folder.path()).isEqualTo(path);
            assertThat(contents(path))
                    .isEqualTo(Map.of(
                            "sluicemq.format", FORMAT,
                            "sluicemq.lock", ProcessHandle.current().pid() + "\n"));
        }

        assertThat(contents(path)).isEqualTo(Map.of("sluicemq.format", FORMAT, "sluicemq.lock", ""));
    }

    @Test
    void shouldOpenItsFolderAgainWithWhateverItKeepsThere() throws Exception {
        DataFolder.open(temp).close();
        Files.writeString(temp.resolve("segment"), "kept");

        DataFolder.open(temp).close();

        assertThat(contents(temp)).containsEntry("segment", "kept");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sluicemq.lock", "sluicemq.format.new", "lost+found"})
    void shouldBeginAFolderThatIsAsGoodAsEmpty(String name) throws Exception {
        Files.writeString(temp.resolve(name), "");

        DataFolder.open(temp).close();

        assertThat(contents(temp)).containsEntry("sluicemq.format", FORMAT).doesNotContainKey("sluicemq.format.new");
    }

    @Test
    void shouldLeaveAForeignFolderAsItIs() throws IOException {
        Files.writeString(temp.resolve("thesis.tex"), "precious");

        assertThatThrownBy(() -> DataFolder.open(temp))
                .isInstanceOf(DataFolderRefused.class)
                .hasMessage("data folder " + temp + " is not SluiceMQ's: it holds thesis.tex and no sluicemq.format;"
                        + " name an empty or a new folder");

        assertThat(contents(temp)).isEqualTo(Map.of("thesis.tex", "precious"));
    }

    @Test
    void shouldRefuseAFormatOfTheFuture() throws IOException {
        Files.writeString(temp.resolve("sluicemq.format"), "sluicemq data folder, format 2\n");

        assertThatThrownBy(() -> DataFolder.open(temp))
                .hasMessage("data folder " + temp + " has format 2, but this version of SluiceMQ knows format 1 only");

        assertThat(contents(temp)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "sluicemq data folder, format \n", "sluicemq data folder, format 99999999999\n"})
    void shouldRefuseADamagedFormat(String text) throws IOException {
        Path file = Files.writeString(temp.resolve("sluicemq.format"), text);

        assertThatThrownBy(() -> DataFolder.open(temp))
                .hasMessage("data folder " + temp + " can't be used: " + file
                        + " is damaged: expected 'sluicemq data folder, format 1'");

        assertThat(contents(temp)).isEqualTo(Map.of("sluicemq.format", text));
    }

    @Test
    void shouldRefuseAFile() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "");

        assertThatThrownBy(() -> DataFolder.open(file))
                .hasMessage("data folder " + file + " can't be used: " + file + " is not a folder");
        assertThatThrownBy(() -> DataFolder.open(file.resolve("below")))
                .isInstanceOf(DataFolderRefused.class)
                .hasMessageStartingWith("data folder " + file + "/below can't be used: ");
    }

    @Test
    void shouldRefuseAReadOnlyFileSystem() throws IOException {
        URI zip = URI.create("jar:" + temp.resolve("folder.zip").toUri());
        try (FileSystem writable = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            Files.createDirectory(writable.getPath("/data"));
        }

        try (FileSystem readOnly = FileSystems.newFileSystem(zip, Map.of("accessMode", "readOnly"))) {
            assertThatThrownBy(() -> DataFolder.open(readOnly.getPath("/data")))
                    .isInstanceOf(DataFolderRefused.class)
                    .hasMessage("data folder /data can't be used: this process may not write into it");
            assertThatThrownBy(() -> DataFolder.open(readOnly.getPath("/new")))
                    .isInstanceOf(DataFolderRefused.class)
                    .hasMessage("data folder /new can't be used: its file system is read-only");
        }
    }

    @Test
    void shouldRefuseAFolderItMayNotWriteInto() throws IOException {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeFalse(Files.isWritable(temp), "this user may write everywhere");

        assertThatThrownBy(() -> DataFolder.open(temp))
                .hasMessage("data folder " + temp + " can't be used: this process may not write into it");

        assertThat(contents(temp)).isEmpty();
    }

    @Test
    void shouldBeOpenOnceInOneProcess() throws Exception {
        Path real = Files.createDirectory(temp.resolve("real"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), real);

        DataFolder folder = DataFolder.open(real);
        assertThatThrownBy(() -> DataFolder.open(link))
                .isInstanceOf(DataFolderRefused.class)
                .hasMessage("data folder " + link + " is in use by this process ("
                        + ProcessHandle.current().pid() + ") already");

        folder.close();
        DataFolder second = DataFolder.open(link);
        folder.close();
        assertThatThrownBy(() -> DataFolder.open(real)).isInstanceOf(DataFolderRefused.class);
        second.close();
    }

    @Test
    void shouldBeOpenInOneProcessOnly() throws Exception {
        try (JavaProcess other = JavaProcess.start(temp, DataFolderHolder.class, temp.toString())) {
            assertThat(other.nextLine()).isEqualTo("open " + temp);

            assertThatThrownBy(() -> DataFolder.open(temp))
                    .isInstanceOf(DataFolderRefused.class)
                    .hasMessage("data folder " + temp + " is in use by process " + other.pid());

            other.kill();
            other.exitCode();
            // What a killed process leaves behind does not keep others out.
            DataFolder.open(temp).close();
        }
    }

    @Test
    void shouldNotOpenWhatIsBeingRead() throws Exception {
        DataFolder.open(temp).close();
        Files.writeString(temp.resolve("sluicemq.lock"), "999999999\n");
        Map<String, String> before = contents(temp);

        try (DataFolderReading reading = DataFolderReading.open(temp)) {
            assertThat(reading.path()).isEqualTo(temp);
            try (JavaProcess other = JavaProcess.start(temp, DataFolderHolder.class, temp.toString())) {
                assertThat(other.exitCode()).isEqualTo(1);
                // Not by the process that was the last to write its id there.
                assertThat(other.err()).contains("data folder " + temp + " is in use by another process");
            }
            assertThatThrownBy(() -> DataFolder.open(temp)).hasMessageContaining("is in use by this process");
        }

        assertThat(contents(temp)).isEqualTo(before);
        DataFolder.open(temp).close();
    }

    @Test
    void shouldKeepOtherProcessesOutAlsoAfterASecondAttemptOfItsOwn() throws Exception {
        try (DataFolder folder = DataFolder.open(temp)) {
            assertThatThrownBy(() -> DataFolder.open(temp)).isInstanceOf(DataFolderRefused.class);

            try (JavaProcess other = JavaProcess.start(temp, DataFolderHolder.class, temp.toString())) {
                assertThat(other.exitCode()).isEqualTo(1);
                assertThat(other.err())
                        .contains("data folder " + folder.path() + " is in use by process "
                                + ProcessHandle.current().pid());
            }
        }
    }

    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> contents.put(file.getFileName().toString(), read(file)));
        }
        return contents;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
