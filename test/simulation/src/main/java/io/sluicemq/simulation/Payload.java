package io.sluicemq.simulation;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** What the simulation's messages consist of: a number, and bytes that follow from it, so that a mix-up is seen. Stateless. */
enum Payload implements MessageFormat {
    FORMAT;

    /** A body that says which message it is. */
    static byte[] body(long id, int bytes) {
        byte[] body = new byte[Long.BYTES + bytes];
        ByteBuffer.wrap(body).putLong(id);
        for (int i = Long.BYTES; i < body.length; i++) {
            body[i] = fill(id, i);
        }
        return body;
    }

    /** A header that says so, too, and which group it belongs to; a negative number for none. */
    static byte[] header(long id, int group) {
        ByteBuffer header = ByteBuffer.allocate(Long.BYTES + (group < 0 ? 0 : 1)).putLong(~id);
        return (group < 0 ? header : header.put((byte) group)).array();
    }

    /** The number of a message, whose bytes must all be as they were. */
    static long id(Message message) {
        byte[] body = message.body();
        long id = ByteBuffer.wrap(body).getLong();
        for (int i = Long.BYTES; i < body.length; i++) {
            Broken.unless(body[i] == fill(id, i), "message %d came with other bytes at %d", id, i);
        }
        Broken.unless(
                ByteBuffer.wrap(message.header()).getLong() == ~id, "message %d came with another header", id);
        return id;
    }

    private static byte fill(long id, int index) {
        return (byte) (id * 31 + index * 7L);
    }

    @Override
    public String group(Message message) {
        byte[] header = message.header();
        return header.length == Long.BYTES ? null : "group " + header[Long.BYTES];
    }

    @Override
    public Map<String, Object> headers(Message message) {
        return Map.of();
    }

    @Override
    public List<Death> claimedDeaths(Message message) {
        return List.of();
    }

    @Override
    public String originalExpiration(Message message) {
        return message.ttlMillis() == Message.NO_TTL ? null : Long.toString(message.ttlMillis());
    }
}
