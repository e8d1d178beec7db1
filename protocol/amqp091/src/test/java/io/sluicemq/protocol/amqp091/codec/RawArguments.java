package io.sluicemq.protocol.amqp091.codec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Builds the arguments of a method, a field table or anything else, byte by byte, right or wrong. It shares no code
 * with the codec that it is used to test. Used by one thread.
 */
public final class RawArguments {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Any bytes. */
    public RawArguments bytes(byte... bytes) {
        out.writeBytes(bytes);
        return this;
    }

    /** Any bytes, in hexadecimal. */
    public RawArguments hex(String hex) {
        return bytes(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    /** 8 bits. */
    public RawArguments octet(int value) {
        out.write(value);
        return this;
    }

    /** Up to eight bits in one octet, the first in the lowest. */
    public RawArguments bits(boolean... bits) {
        int octet = 0;
        for (int i = 0; i < bits.length; i++) {
            octet |= bits[i] ? 1 << i : 0;
        }
        return octet(octet);
    }

    /** 16 bits. */
    public RawArguments shortInt(int value) {
        return octet(value >>> 8).octet(value);
    }

    /** 32 bits. */
    public RawArguments longInt(long value) {
        return shortInt((int) (value >>> 16)).shortInt((int) value);
    }

    /** 64 bits. */
    public RawArguments longLong(long value) {
        return longInt(value >>> 32).longInt(value);
    }

    /** A short string; the length octet overflows silently above 255 bytes. */
    public RawArguments shortString(String value) {
        return shortString(value.getBytes(StandardCharsets.UTF_8));
    }

    /** A short string of any bytes. */
    public RawArguments shortString(byte[] value) {
        return octet(value.length).bytes(value);
    }

    /** A long string. */
    public RawArguments longString(String value) {
        return longString(value.getBytes(StandardCharsets.UTF_8));
    }

    /** A long string of any bytes. */
    public RawArguments longString(byte[] value) {
        return longInt(value.length).bytes(value);
    }

    /** A table of whatever {@code fields} writes, with the right length. */
    public RawArguments table(Consumer<RawArguments> fields) {
        RawArguments body = new RawArguments();
        fields.accept(body);
        return longString(body.toBytes());
    }

    /** An empty table. */
    public RawArguments table() {
        return longInt(0);
    }

    /** An entry of a table: name, type and whatever {@code value} writes. */
    public RawArguments field(String name, char type, Consumer<RawArguments> value) {
        shortString(name).octet(type);
        value.accept(this);
        return this;
    }

    /** An entry of type S. */
    public RawArguments field(String name, String value) {
        return field(name, 'S', out -> out.longString(value));
    }

    /** An entry of type I. */
    public RawArguments field(String name, int value) {
        return field(name, 'I', out -> out.longInt(value));
    }

    /** An entry of type t. */
    public RawArguments field(String name, boolean value) {
        return field(name, 't', out -> out.octet(value ? 1 : 0));
    }

    /** What has been written. */
    public byte[] toBytes() {
        return out.toByteArray();
    }
}
