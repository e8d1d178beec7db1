package io.sluicemq.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The first block of a segment file; numbers little-endian. The file is named after its start position, 16 hexadecimal digits
 * and {@code .log}. The records begin behind the header; the file is as long as the segment, filled with zeros at first.
 *
 * <pre>
 *  0               8         12        16                    24                  40        44          4096
 *  +---------------+---------+---------+---------------------+-------------------+---------+--- - - - --+
 *  | "SLUICLOG"    | format  | 4096    | start position      | the log's UUID    | CRC-32C | zeros      |
 *  +---------------+---------+---------+---------------------+-------------------+---------+--- - - - --+
 *
 *  format   {@value #FORMAT}
 *  4096     bytes of the header: where the first record begins
 *  start    position of the file's first byte in the log; a byte's position less this is its offset in the file
 *  UUID     the same in all files of a log; most significant half first
 *  CRC-32C  over bytes 0 to 40
 * </pre>
 */
record SegmentHeader(long start, UUID log) {

    static final int BYTES = 4096;
    static final int FORMAT = 1;
    private static final byte[] MAGIC = "SLUICLOG".getBytes(StandardCharsets.US_ASCII);
    private static final int CRC_AT = 40;
    private static final String SUFFIX = ".log";

    static String fileName(long start) {
        return String.format("%016x", start) + SUFFIX;
    }

    /** The start position that a file's name tells; -1 if it is no name of a segment. */
    static long startOf(String fileName) {
        if (!fileName.matches("[0-7][0-9a-f]{15}\\.log")) {
            return -1;
        }
        return Long.parseLong(fileName.substring(0, 16), 16);
    }

    /** The id of a log that checksums are masked with. */
    static long maskOf(UUID log) {
        return log.getMostSignificantBits() ^ log.getLeastSignificantBits();
    }

    ByteBuffer encode() {
        ByteBuffer block = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        block.put(MAGIC).putInt(FORMAT).putInt(BYTES).putLong(start);
        block.putLong(log.getMostSignificantBits()).putLong(log.getLeastSignificantBits());
        CRC32C crc = new CRC32C();
        crc.update(block.array(), 0, CRC_AT);
        block.putInt((int) crc.getValue());
        return block.clear();
    }

    /**
     * Reads a header.
     *
     * @param block what could be read of the file's first {@value #BYTES} bytes, up to its limit
     * @throws ForeignLog if this is no segment, or of another format
     * @throws DamagedLog if it was one
     */
    static SegmentHeader decode(ByteBuffer block, String folder, String file) throws ForeignLog, DamagedLog {
        ByteBuffer in = block.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[MAGIC.length];
        if (in.remaining() < BYTES) {
            throw new DamagedLog(folder, file, 0, "the file is shorter than a segment's header");
        }
        in.get(magic);
        if (!java.util.Arrays.equals(magic, MAGIC)) {
            throw new ForeignLog(folder, file + " is not a segment of a SluiceMQ log");
        }
        int format = in.getInt();
        int headerBytes = in.getInt();
        long start = in.getLong();
        UUID log = new UUID(in.getLong(), in.getLong());
        CRC32C crc = new CRC32C();
        crc.update(block.duplicate().limit(block.position() + CRC_AT));
        boolean whole = in.getInt() == (int) crc.getValue();
        if (whole && format != FORMAT) {
            throw new ForeignLog(folder, file + " has format " + format
                    + ", but this version of SluiceMQ knows format " + FORMAT + " only");
        }
        if (!whole || headerBytes != BYTES || start != startOf(file)) {
            throw new DamagedLog(folder, file, 0, "the header is not what was written");
        }
        return new SegmentHeader(start, log);
    }
}
