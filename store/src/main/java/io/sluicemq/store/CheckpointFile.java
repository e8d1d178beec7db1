package io.sluicemq.store;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * A checkpoint on disk; numbers little-endian. The file is named {@code checkpoint-} and its position in 16 hexadecimal digits. It
 * is written under another name ({@code .new} behind), synced and renamed, so one that has its name is whole.
 *
 * <pre>
 *  0            8        12     16         24            32      48        52     64
 *  +------------+--------+------+----------+-------------+-------+---------+------+
 *  | "SLUICCKP" | format | 64   | position | replay from | UUID  | CRC-32C | 0    |  header
 *  +------------+--------+------+----------+-------------+-------+---------+------+
 *  | length (4, above 0) | checksum (4) | bytes                                   |  a piece, as often as there are
 *  +---------------------+--------------+-----------------------------------------+
 *  | 0 (4)               | checksum (4) | number of pieces (8)  | their bytes (8) |  the end
 *  +---------------------+--------------+-----------------------+-----------------+
 *
 *  position     what the checkpoint holds is true up to here; records from here on follow
 *  replay from  position, or less: there are moves between the two that the checkpoint may not know
 *  CRC-32C      over bytes 0 to 48
 *  checksum     CRC-32C over the bytes, plus the number of the piece, from 0; at the end over the 16 bytes behind it
 * </pre>
 */
record CheckpointFile(String name, long position, long replayFrom, UUID log, long pieces, long sizeBytes) {

    static final int HEADER_BYTES = 64;
    static final int FORMAT = 1;
    static final String PREFIX = "checkpoint-";
    static final String NEW_SUFFIX = ".new";
    static final int PIECE_HEADER_BYTES = 8;
    static final int END_BYTES = 24;
    private static final byte[] MAGIC = "SLUICCKP".getBytes(StandardCharsets.US_ASCII);
    private static final int CRC_AT = 48;
    private static final int WINDOW_BYTES = 256 << 10;

    static String fileName(long position) {
        return PREFIX + String.format("%016x", position);
    }

    static boolean isName(String fileName) {
        return fileName.matches(PREFIX + "[0-7][0-9a-f]{15}");
    }

    static ByteBuffer encodeHeader(long position, long replayFrom, UUID log) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(FORMAT).putInt(HEADER_BYTES).putLong(position).putLong(replayFrom);
        header.putLong(log.getMostSignificantBits()).putLong(log.getLeastSignificantBits());
        header.putInt(crcOf(header.duplicate().flip()));
        return header.clear();
    }

    static ByteBuffer encodePieceHeader(ByteBuffer piece, long number) {
        return ByteBuffer.allocate(PIECE_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(piece.remaining())
                .putInt(crcOf(piece) + (int) number)
                .flip();
    }

    static ByteBuffer encodeEnd(long pieces, long bytes) {
        ByteBuffer end = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        end.putLong(8, pieces).putLong(16, bytes);
        end.putInt(4, crcOf(end.duplicate().position(8)));
        return end;
    }

    private static int crcOf(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /**
     * Reads a whole checkpoint and checks all of it.
     *
     * @param each gets the pieces
     * @return what it is; null if it is not whole
     * @throws ForeignLog if it is of another format
     */
    static CheckpointFile read(Disk disk, String name, Consumer<ByteBuffer> each) throws IOException {
        try (DiskFile file = disk.openReadOnly(name)) {
            long size = file.sizeBytes();
            Input in = new Input(file, size);
            ByteBuffer header = in.take(HEADER_BYTES);
            if (header == null) {
                return null;
            }
            byte[] magic = new byte[MAGIC.length];
            header.get(magic);
            int format = header.getInt();
            header.getInt();
            long position = header.getLong();
            long replayFrom = header.getLong();
            UUID log = new UUID(header.getLong(), header.getLong());
            if (!java.util.Arrays.equals(magic, MAGIC)
                    || header.getInt() != crcOf(header.duplicate().position(0).limit(CRC_AT))
                    || !name.equals(fileName(position))) {
                return null;
            }
            if (format != FORMAT) {
                throw new ForeignLog(disk.location(), name + " has format " + format
                        + ", but this version of SluiceMQ knows format " + FORMAT + " only");
            }
            long pieces = 0;
            long bytes = 0;
            while (true) {
                ByteBuffer start = in.take(PIECE_HEADER_BYTES);
                if (start == null) {
                    return null;
                }
                int length = start.getInt();
                int checksum = start.getInt();
                if (length == 0) {
                    ByteBuffer end = in.take(END_BYTES - PIECE_HEADER_BYTES);
                    boolean whole = end != null && crcOf(end) == checksum && end.getLong() == pieces
                            && end.getLong() == bytes;
                    return whole ? new CheckpointFile(name, position, replayFrom, log, pieces, size) : null;
                }
                ByteBuffer piece = length < 0 ? null : in.take(length);
                if (piece == null || crcOf(piece) + (int) pieces != checksum) {
                    return null;
                }
                each.accept(piece);
                pieces++;
                bytes += length;
            }
        }
    }

    /** Reads a file through a window. */
    private static final class Input {

        private final DiskFile file;
        private final long size;
        private long offset;
        private ByteBuffer window = ByteBuffer.allocate(0);

        Input(DiskFile file, long size) {
            this.file = file;
            this.size = size;
        }

        /** The next bytes, until the call after this; null if the file has fewer. */
        ByteBuffer take(int bytes) throws IOException {
            if (window.remaining() < bytes) {
                offset -= window.remaining();
                if (size - offset < bytes) {
                    return null;
                }
                window = ByteBuffer.allocate((int) Math.min(Math.max(bytes, WINDOW_BYTES), size - offset));
                offset += file.read(window, offset);
                window.flip();
                if (window.remaining() < bytes) {
                    return null;
                }
            }
            ByteBuffer taken = window.slice(window.position(), bytes).order(ByteOrder.LITTLE_ENDIAN);
            window.position(window.position() + bytes);
            return taken;
        }
    }
}
