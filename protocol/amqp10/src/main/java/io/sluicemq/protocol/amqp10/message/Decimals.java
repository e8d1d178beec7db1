package io.sluicemq.protocol.amqp10.message;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * The decimal types (part 1 §1.6.13 to 15): IEEE 754-2008 with the binary integer encoding of the coefficient. What is no finite
 * number becomes a {@link Double}. Pure.
 *
 * <pre>
 *  bits   sign  exponent  coefficient          exponent  coefficient, if the two bits behind the sign are 11
 *    32     1      8          23                  8        21, with 100 in front
 *    64     1     10          53                 10        51, with 100 in front
 *   128     1     14         113                 14       111, with 100 in front: more than 34 digits, counts as 0
 * </pre>
 */
final class Decimals {

    private static final int EXPONENT_BITS_32 = 8;
    private static final int EXPONENT_BITS_64 = 10;
    private static final int EXPONENT_BITS_128 = 14;
    private static final int BIAS_32 = 101;
    private static final int BIAS_64 = 398;
    private static final int BIAS_128 = 6176;

    /** The largest exponent of 64 bits, and the bits of the coefficient that are written. */
    private static final int MAX_EXPONENT_64 = 369;

    private static final int COEFFICIENT_BITS_64 = 53;
    private static final int MAX_EXPONENT_128 = 6111;
    private static final int COEFFICIENT_BITS_128 = 113;
    private static final BigInteger MAX_64 = BigInteger.TEN.pow(16).subtract(BigInteger.ONE);
    private static final BigInteger MAX_128 = BigInteger.TEN.pow(34).subtract(BigInteger.ONE);

    private Decimals() {}

    static Object of32(int bits) {
        return of(BigInteger.valueOf(Integer.toUnsignedLong(bits)), Integer.SIZE, EXPONENT_BITS_32, BIAS_32, 7);
    }

    static Object of64(long bits) {
        return of(unsigned(bits), Long.SIZE, EXPONENT_BITS_64, BIAS_64, 16);
    }

    static Object of128(long high, long low) {
        return of(
                unsigned(high).shiftLeft(Long.SIZE).or(unsigned(low)), 2 * Long.SIZE, EXPONENT_BITS_128, BIAS_128, 34);
    }

    private static BigInteger unsigned(long bits) {
        BigInteger number = BigInteger.valueOf(bits);
        return bits < 0 ? number.add(BigInteger.ONE.shiftLeft(Long.SIZE)) : number;
    }

    private static Object of(BigInteger bits, int size, int exponentBits, int bias, int digits) {
        boolean negative = bits.testBit(size - 1);
        int combination = bits.shiftRight(size - 6).intValue() & 0b11111;
        if (combination == 0b11110) {
            return negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        if (combination == 0b11111) {
            return Double.NaN;
        }
        boolean large = combination >>> 3 == 0b11;
        int shift = size - 1 - exponentBits - (large ? 2 : 0);
        int exponent = bits.shiftRight(shift).intValue() & (1 << exponentBits) - 1;
        BigInteger coefficient = bits.and(BigInteger.ONE.shiftLeft(shift).subtract(BigInteger.ONE));
        if (large) {
            coefficient = coefficient.or(BigInteger.valueOf(0b100).shiftLeft(shift));
        }
        if (coefficient.compareTo(BigInteger.TEN.pow(digits)) >= 0) {
            coefficient = BigInteger.ZERO;
        }
        return new BigDecimal(negative ? coefficient.negate() : coefficient, bias - exponent);
    }

    /** Writes a number as a decimal of 64 or 128 bits; returns whether it is one. */
    static boolean write(ValueWriter out, BigDecimal number) {
        BigInteger coefficient = number.unscaledValue().abs();
        int exponent = -number.scale();
        boolean negative = number.signum() < 0;
        if (coefficient.compareTo(MAX_64) <= 0
                && coefficient.bitLength() <= COEFFICIENT_BITS_64
                && exponent >= -BIAS_64
                && exponent <= MAX_EXPONENT_64) {
            long bits = (long) (exponent + BIAS_64) << COEFFICIENT_BITS_64 | coefficient.longValue();
            out.octet(TypeCode.DECIMAL_64).eightOctets(negative ? bits | Long.MIN_VALUE : bits);
            return true;
        }
        if (coefficient.compareTo(MAX_128) <= 0
                && coefficient.bitLength() <= COEFFICIENT_BITS_128
                && exponent >= -BIAS_128
                && exponent <= MAX_EXPONENT_128) {
            BigInteger bits = BigInteger.valueOf(exponent + BIAS_128)
                    .shiftLeft(COEFFICIENT_BITS_128)
                    .or(coefficient);
            long high = bits.shiftRight(Long.SIZE).longValue();
            out.octet(TypeCode.DECIMAL_128).eightOctets(negative ? high | Long.MIN_VALUE : high);
            out.eightOctets(bits.longValue());
            return true;
        }
        return false;
    }
}
