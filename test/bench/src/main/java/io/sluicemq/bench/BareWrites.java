package io.sluicemq.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One thread that writes pieces of a file one after the other, and syncs each (fdatasync): what the disk does without a log.
 * It writes over zeros, as the log does, which is the faster way on most file systems; to make them is not counted.
 *
 * @param pieceBytes how much is written and synced as one
 */
record BareWrites(int pieceBytes) implements DiskLoad {

    private static final int FILE_BYTES = 64 << 20;

    @Override
    public String label() {
        return "bare loop, " + (pieceBytes >> 10) + " KiB a sync";
    }

    @Override
    public double bytesPerSecond(Path folder, long nanos) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(pieceBytes);
        try (FileChannel file = FileChannel.open(
                folder.resolve("bare"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < FILE_BYTES; at += pieceBytes) {
                write(file, piece, at);
            }
            file.force(true);
            // Not zeros: a disk might know them.
            new java.util.Random(1).ints(pieceBytes / Integer.BYTES).forEach(piece.clear()::putInt);
            long written = 0;
            long start = System.nanoTime();
            long end = start + nanos;
            while (written < MAX_BYTES && System.nanoTime() < end) {
                write(file, piece, written % FILE_BYTES);
                file.force(false);
                written += pieceBytes;
            }
            return written * 1e9 / (System.nanoTime() - start);
        }
    }

    private static void write(FileChannel file, ByteBuffer piece, long at) throws IOException {
        piece.clear();
        while (piece.hasRemaining()) {
            file.write(piece, at + piece.position());
        }
    }
}
