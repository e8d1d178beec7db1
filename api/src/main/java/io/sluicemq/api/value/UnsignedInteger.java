package io.sluicemq.api.value;

/** An integer of an unsigned type, kept apart from the signed ones so that its type survives. Immutable. */
public sealed interface UnsignedInteger {

    /** The value, never negative. */
    long value();

    /** 8 bits: 0 to 255. */
    record OfByte(long value) implements UnsignedInteger {
        public OfByte {
            check(value, 0xFF);
        }
    }

    /** 16 bits: 0 to 65 535. */
    record OfShort(long value) implements UnsignedInteger {
        public OfShort {
            check(value, 0xFFFF);
        }
    }

    /** 32 bits: 0 to 4 294 967 295. */
    record OfInt(long value) implements UnsignedInteger {
        public OfInt {
            check(value, 0xFFFF_FFFFL);
        }
    }

    private static void check(long value, long max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(value + " is not within 0 and " + max);
        }
    }
}
