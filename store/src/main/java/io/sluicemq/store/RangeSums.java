package io.sluicemq.store;

import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Checksums (CRC-32C) of any ranges of a file, each in about the same short time however long the range is, after one pass over
 * the file. Who looks for records among bytes that may be anything, a client's even, must not read 64 MiB for each 8 of them.
 * Owned by one thread.
 *
 * <p>It rests on CRC being linear: the sum of a range follows from the sums of what lies before its end and before its
 * beginning, the latter shifted by the range's length, which is a multiplication of polynomials modulo that of the CRC.
 *
 * <p>Invariant: {@code sums[i]} is the sum of the first {@code i * GRAIN_BYTES} bytes from {@code start} on.
 */
final class RangeSums {

    private static final int GRAIN_BYTES = 256;
    private static final int PIECE_BYTES = 1 << 20;

    /** CRC-32C's polynomial, the lowest power in the highest bit. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;
    private static final int POWERS = 48;
    /** x to the power of 2 to the power of the index. */
    private static final int[] X_TO_2_TO = new int[POWERS];

    static {
        X_TO_2_TO[0] = 1 << 30;
        for (int i = 1; i < POWERS; i++) {
            X_TO_2_TO[i] = product(X_TO_2_TO[i - 1], X_TO_2_TO[i - 1]);
        }
    }

    private final DiskFile file;
    private final long start;
    private final long end;
    private final int[] sums;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer rest = ByteBuffer.allocate(GRAIN_BYTES);

    /** Reads the file from {@code start} to {@code end}, or to its own end if that comes first. */
    RangeSums(DiskFile file, long start, long end) throws IOException {
        this.file = file;
        this.start = start;
        this.sums = new int[Math.toIntExact((end - start) / GRAIN_BYTES + 1)];
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        long at = start;
        int grains = 0;
        while (at < end) {
            piece.clear().limit((int) Math.min(PIECE_BYTES, end - at));
            int count = file.read(piece, at);
            for (int offset = 0; offset + GRAIN_BYTES <= count; offset += GRAIN_BYTES) {
                crc.update(piece.array(), offset, GRAIN_BYTES);
                sums[++grains] = (int) crc.getValue();
            }
            at += count;
            if (count < piece.limit()) {
                break;
            }
        }
        this.end = at;
    }

    /** Whether the bytes from {@code from} to {@code to} were there to be read. */
    boolean covers(long from, long to) {
        return from >= start && from <= to && to <= end;
    }

    /** The CRC-32C of the bytes from {@code from} to {@code to}, offsets in the file. */
    int of(long from, long to) throws IOException {
        return sumBefore(to) ^ shifted(sumBefore(from), to - from);
    }

    private int sumBefore(long offset) throws IOException {
        int grain = (int) ((offset - start) / GRAIN_BYTES);
        long at = start + (long) grain * GRAIN_BYTES;
        int restBytes = (int) (offset - at);
        if (restBytes == 0) {
            return sums[grain];
        }
        rest.clear().limit(restBytes);
        if (file.read(rest, at) < restBytes) {
            throw new IOException(file.name() + " became shorter while it was read");
        }
        crc.reset();
        crc.update(rest.array(), 0, restBytes);
        return shifted(sums[grain], restBytes) ^ (int) crc.getValue();
    }

    /** What a sum adds to that of a range that goes on for so many bytes. */
    private static int shifted(int sum, long bytes) {
        int power = ONE;
        int index = 3; // a byte is 2 to the power of 3 bits
        for (long left = bytes; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                power = product(X_TO_2_TO[index], power);
            }
            index++;
        }
        return product(power, sum);
    }

    /** The product of two polynomials modulo the CRC's. */
    private static int product(int a, int b) {
        int result = 0;
        int shifting = b;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                result ^= shifting;
            }
            shifting = (shifting & 1) == 0 ? shifting >>> 1 : shifting >>> 1 ^ POLYNOMIAL;
        }
        return result;
    }
}
