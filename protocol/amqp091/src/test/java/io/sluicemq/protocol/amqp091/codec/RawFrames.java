package io.sluicemq.protocol.amqp091.codec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Frames of a client for hostile and frame-level tests: every method a client may send, content, heartbeats, and frames
 * that are wrong in any way ({@link #frame(int, int, long, byte[], int)}). Shares no code with the codec. Stateless.
 */
public final class RawFrames {

    private RawFrames() {}

    /** {@code AMQP 0 0 9 1}. */
    public static byte[] protocolHeader() {
        return protocolHeader(0, 0, 9, 1);
    }

    /** {@code AMQP} and four octets. */
    public static byte[] protocolHeader(int... octets) {
        RawArguments header = new RawArguments().bytes("AMQP".getBytes(StandardCharsets.US_ASCII));
        for (int octet : octets) {
            header.octet(octet);
        }
        return header.toBytes();
    }

    /** A frame with the right size and frame-end. */
    public static byte[] frame(int type, int channel, byte[] payload) {
        return frame(type, channel, payload.length, payload, 0xCE);
    }

    /** A frame in which size and frame-end are what they are told to be. */
    public static byte[] frame(int type, int channel, long size, byte[] payload, int frameEnd) {
        return new RawArguments()
                .octet(type).shortInt(channel).longInt(size).bytes(payload).octet(frameEnd).toBytes();
    }

    /** Any method. */
    public static byte[] method(int channel, int classId, int methodId, Consumer<RawArguments> arguments) {
        RawArguments payload = new RawArguments().shortInt(classId).shortInt(methodId);
        arguments.accept(payload);
        return frame(1, channel, payload.toBytes());
    }

    private static byte[] method(int channel, int classId, int methodId) {
        return method(channel, classId, methodId, none -> {});
    }

    /** Any number of frames in one array. */
    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    // ---- connection --------------------------------------------------------------------------------------------

    public static byte[] startOk(
            Consumer<RawArguments> clientProperties, String mechanism, byte[] response, String locale) {
        return method(0, 10, 11, out -> out
                .table(clientProperties).shortString(mechanism).longString(response).shortString(locale));
    }

    /** start-ok with SASL PLAIN and no client properties. */
    public static byte[] startOkPlain(String user, String password) {
        byte[] response = ("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8);
        return startOk(none -> {}, "PLAIN", response, "en_US");
    }

    public static byte[] secureOk(byte[] response) {
        return method(0, 10, 21, out -> out.longString(response));
    }

    public static byte[] tuneOk(int channelMax, long frameMax, int heartbeat) {
        return method(0, 10, 31, out -> out.shortInt(channelMax).longInt(frameMax).shortInt(heartbeat));
    }

    public static byte[] connectionOpen(String virtualHost) {
        return method(0, 10, 40, out -> out.shortString(virtualHost).shortString("").bits(false));
    }

    public static byte[] connectionClose(int code, String text) {
        return method(0, 10, 50, out -> out.shortInt(code).shortString(text).shortInt(0).shortInt(0));
    }

    public static byte[] connectionCloseOk() {
        return method(0, 10, 51);
    }

    public static byte[] updateSecret(byte[] secret, String reason) {
        return method(0, 10, 70, out -> out.longString(secret).shortString(reason));
    }

    // ---- channel -----------------------------------------------------------------------------------------------

    public static byte[] channelOpen(int channel) {
        return method(channel, 20, 10, out -> out.shortString(""));
    }

    public static byte[] channelFlow(int channel, boolean active) {
        return method(channel, 20, 20, out -> out.bits(active));
    }

    public static byte[] channelFlowOk(int channel, boolean active) {
        return method(channel, 20, 21, out -> out.bits(active));
    }

    public static byte[] channelClose(int channel, int code, String text) {
        return method(channel, 20, 40, out -> out.shortInt(code).shortString(text).shortInt(0).shortInt(0));
    }

    public static byte[] channelCloseOk(int channel) {
        return method(channel, 20, 41);
    }

    public static byte[] accessRequest(int channel, String realm) {
        return method(channel, 30, 10, out -> out.shortString(realm).bits(false, false, true, true, true));
    }

    // ---- exchange ----------------------------------------------------------------------------------------------

    /** @param bits passive, durable, auto-delete, internal, no-wait */
    public static byte[] exchangeDeclare(
            int channel, String exchange, String type, Consumer<RawArguments> arguments, boolean... bits) {
        return method(channel, 40, 10, out -> out
                .shortInt(0).shortString(exchange).shortString(type).bits(bits).table(arguments));
    }

    public static byte[] exchangeDelete(int channel, String exchange, boolean ifUnused, boolean noWait) {
        return method(channel, 40, 20, out -> out.shortInt(0).shortString(exchange).bits(ifUnused, noWait));
    }

    public static byte[] exchangeBound(int channel, String exchange, String routingKey, String queue) {
        return method(channel, 40, 22, out -> out.shortString(exchange).shortString(routingKey).shortString(queue));
    }

    public static byte[] exchangeBind(
            int channel, String destination, String source, String key, boolean noWait,
            Consumer<RawArguments> arguments) {
        return method(channel, 40, 30, out -> out.shortInt(0)
                .shortString(destination).shortString(source).shortString(key).bits(noWait).table(arguments));
    }

    public static byte[] exchangeUnbind(
            int channel, String destination, String source, String key, boolean noWait,
            Consumer<RawArguments> arguments) {
        return method(channel, 40, 40, out -> out.shortInt(0)
                .shortString(destination).shortString(source).shortString(key).bits(noWait).table(arguments));
    }

    // ---- queue -------------------------------------------------------------------------------------------------

    /** @param bits passive, durable, exclusive, auto-delete, no-wait */
    public static byte[] queueDeclare(
            int channel, String queue, Consumer<RawArguments> arguments, boolean... bits) {
        return method(channel, 50, 10, out -> out.shortInt(0).shortString(queue).bits(bits).table(arguments));
    }

    public static byte[] queueBind(
            int channel, String queue, String exchange, String key, boolean noWait, Consumer<RawArguments> arguments) {
        return method(channel, 50, 20, out -> out.shortInt(0)
                .shortString(queue).shortString(exchange).shortString(key).bits(noWait).table(arguments));
    }

    public static byte[] queuePurge(int channel, String queue, boolean noWait) {
        return method(channel, 50, 30, out -> out.shortInt(0).shortString(queue).bits(noWait));
    }

    /** @param bits if-unused, if-empty, no-wait */
    public static byte[] queueDelete(int channel, String queue, boolean... bits) {
        return method(channel, 50, 40, out -> out.shortInt(0).shortString(queue).bits(bits));
    }

    public static byte[] queueUnbind(
            int channel, String queue, String exchange, String key, Consumer<RawArguments> arguments) {
        return method(channel, 50, 50, out -> out.shortInt(0)
                .shortString(queue).shortString(exchange).shortString(key).table(arguments));
    }

    // ---- basic -------------------------------------------------------------------------------------------------

    public static byte[] qos(int channel, long prefetchSize, int prefetchCount, boolean global) {
        return method(channel, 60, 10, out -> out.longInt(prefetchSize).shortInt(prefetchCount).bits(global));
    }

    /** @param bits no-local, no-ack, exclusive, no-wait */
    public static byte[] consume(
            int channel, String queue, String tag, Consumer<RawArguments> arguments, boolean... bits) {
        return method(channel, 60, 20, out -> out
                .shortInt(0).shortString(queue).shortString(tag).bits(bits).table(arguments));
    }

    public static byte[] cancel(int channel, String tag, boolean noWait) {
        return method(channel, 60, 30, out -> out.shortString(tag).bits(noWait));
    }

    public static byte[] cancelOk(int channel, String tag) {
        return method(channel, 60, 31, out -> out.shortString(tag));
    }

    public static byte[] publish(int channel, String exchange, String key, boolean mandatory, boolean immediate) {
        return method(channel, 60, 40, out -> out
                .shortInt(0).shortString(exchange).shortString(key).bits(mandatory, immediate));
    }

    /** A whole message: publish, header with delivery mode 2, body in frames of at most {@code chunk} bytes. */
    public static byte[] message(int channel, String exchange, String key, byte[] body, int chunk) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(publish(channel, exchange, key, false, false));
        out.writeBytes(header(channel, body.length, persistent()));
        for (int at = 0; at < body.length; at += chunk) {
            out.writeBytes(body(channel, Arrays.copyOfRange(body, at, Math.min(body.length, at + chunk))));
        }
        return out.toByteArray();
    }

    public static byte[] get(int channel, String queue, boolean noAck) {
        return method(channel, 60, 70, out -> out.shortInt(0).shortString(queue).bits(noAck));
    }

    public static byte[] ack(int channel, long tag, boolean multiple) {
        return method(channel, 60, 80, out -> out.longLong(tag).bits(multiple));
    }

    public static byte[] nack(int channel, long tag, boolean multiple, boolean requeue) {
        return method(channel, 60, 120, out -> out.longLong(tag).bits(multiple, requeue));
    }

    public static byte[] reject(int channel, long tag, boolean requeue) {
        return method(channel, 60, 90, out -> out.longLong(tag).bits(requeue));
    }

    public static byte[] recoverAsync(int channel, boolean requeue) {
        return method(channel, 60, 100, out -> out.bits(requeue));
    }

    public static byte[] recover(int channel, boolean requeue) {
        return method(channel, 60, 110, out -> out.bits(requeue));
    }

    // ---- confirm and tx ----------------------------------------------------------------------------------------

    public static byte[] confirmSelect(int channel, boolean noWait) {
        return method(channel, 85, 10, out -> out.bits(noWait));
    }

    public static byte[] txSelect(int channel) {
        return method(channel, 90, 10);
    }

    public static byte[] txCommit(int channel) {
        return method(channel, 90, 20);
    }

    public static byte[] txRollback(int channel) {
        return method(channel, 90, 30);
    }

    // ---- content and heartbeats --------------------------------------------------------------------------------

    /** Property flags and properties of a message with delivery mode 2 and no more. */
    public static byte[] persistent() {
        return new byte[] {0x10, 0x00, 2};
    }

    /** A content header of class basic; {@code properties} are the flags and what they announce. */
    public static byte[] header(int channel, long bodySize, byte[] properties) {
        return header(channel, 60, 0, bodySize, properties);
    }

    /** A content header of any class and weight. */
    public static byte[] header(int channel, int classId, int weight, long bodySize, byte[] properties) {
        return frame(2, channel, new RawArguments()
                .shortInt(classId).shortInt(weight).longLong(bodySize).bytes(properties).toBytes());
    }

    public static byte[] body(int channel, byte[] bytes) {
        return frame(3, channel, bytes);
    }

    public static byte[] heartbeat() {
        return frame(8, 0, new byte[0]);
    }
}
