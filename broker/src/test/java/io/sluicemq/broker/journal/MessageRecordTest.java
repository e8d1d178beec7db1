package io.sluicemq.broker.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageRecordTest {

    private static final long PUBLISHED = 1_700_000_000_000L;

    private static Message message(long ttlMillis, List<String> extraKeys) {
        return new Message(
                NamedFormat.AMQP, "ex", "kéy", extraKeys, bytes("HEAD"), bytes("body"), true, 200, ttlMillis, null);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static ByteBuffer encoded(Message message, long... queueIds) {
        byte[] names = MessageRecord.names(message);
        ByteBuffer payload = ByteBuffer.allocate(MessageRecord.length(message, names, queueIds.length));
        MessageRecord.encode(payload, message, names, queueIds, queueIds.length, PUBLISHED);
        assertThat(payload.hasRemaining()).isFalse();
        return payload.flip();
    }

    private static String hex(ByteBuffer payload) {
        return HexFormat.of().formatHex(payload.array(), 0, payload.limit());
    }

    @Test
    void shouldEncodeTheBytesOfItsFormat() {
        assertThat(hex(encoded(message(60_000, List.of()), 7, -2)))
                .isEqualTo("00" + "c8" + "0200" + "04000000" + "0068e5cf8b010000" + "60ea000000000000"
                        + "0700000000000000" + "feffffffffffffff"
                        + "0a616d71702d302d392d31" + "026578" + "046bc3a979"
                        + "04000000" + "48454144" + "626f6479");
    }

    @Test
    void shouldMarkWhatIsNotPersistent() throws BadRecord {
        ByteBuffer payload = encoded(new Message(
                NamedFormat.AMQP, "ex", "key", List.of(), bytes("HEAD"), bytes("body"), false, 0, Message.NO_TTL, null),
                7);
        assertThat(hex(payload)).startsWith("04" + "00" + "0100" + "04000000");
        assertThat(MessageRecord.decode(payload, NamedFormat::find).durable()).isFalse();
        assertThat(RecordText.of(RecordType.PAGED, payload))
                .isEqualTo("message that left memory, dropped by a start, queue 7, body 4 bytes");
    }

    @Test
    void shouldEncodeTheBytesOfItsFormatWithKeysAndDeaths() {
        Message dead = message(5, List.of())
                .afterDeath(
                        "dlx",
                        "k",
                        List.of("a", ""),
                        List.of(
                                new Death("q", Death.Reason.EXPIRED, 300, 1, "ex", List.of("k", "l"), "5", false),
                                new Death("p", Death.Reason.REJECTED, 1, 2, "", List.of(), null, true)));
        assertThat(hex(encoded(dead)))
                .isEqualTo("03" + "c8" + "0000" + "04000000" + "0068e5cf8b010000" + "ffffffffffffffff"
                        + "0a616d71702d302d392d31" + "03646c78" + "016b"
                        + "02" + "0161" + "00"
                        + "02"
                        + "02" + "02" + "ac02" + "0100000000000000" + "0171" + "026578" + "02" + "016b" + "016c"
                        + "0135"
                        + "01" + "01" + "01" + "0200000000000000" + "0170" + "00" + "00"
                        + "04000000" + "48454144" + "626f6479");
    }

    @Test
    void shouldTellWhatIsAtFixedPlacesWhereverTheBufferStands() throws BadRecord {
        ByteBuffer payload = encoded(message(60_000, List.of("x")), 7, -2);
        ByteBuffer within = ByteBuffer.allocateDirect(payload.remaining() + 13);
        within.position(13).put(payload).flip().position(13);
        MessageRecord.check(within);
        assertThat(MessageRecord.queueCount(within)).isEqualTo(2);
        assertThat(MessageRecord.queueId(within, 0)).isEqualTo(7);
        assertThat(MessageRecord.queueId(within, 1)).isEqualTo(-2);
        assertThat(MessageRecord.bodyBytes(within)).isEqualTo(4);
        assertThat(MessageRecord.priority(within)).isEqualTo(200);
        assertThat(MessageRecord.publishedMillis(within)).isEqualTo(PUBLISHED);
        assertThat(MessageRecord.ttlMillis(within)).isEqualTo(60_000);
        Message read = MessageRecord.decode(within, NamedFormat::find);
        assertThat(read.body()).isEqualTo(bytes("body"));
        assertThat(read.durable()).isTrue();
        assertThat(read.publisher()).isNull();
        assertThat(within.position()).isEqualTo(13);
    }

    @Test
    void shouldSayThatThereIsAGroup() throws BadRecord {
        ByteBuffer payload = encoded(message(60_000, List.of()).group("g"), 7);
        assertThat(hex(payload)).startsWith("08" + "c8" + "0100" + "04000000");
        assertThat(MessageRecord.headerBytes(payload)).isEqualTo(4);
        assertThat(MessageRecord.decode(payload, NamedFormat::find).group()).isEqualTo("HEAD");
        assertThat(MessageRecord.decode(encoded(message(60_000, List.of()), 7), NamedFormat::find).group()).isNull();
    }

    @Test
    void shouldEncodeTheBytesOfItsFormatWithATimeOfDelivery() throws BadRecord {
        ByteBuffer payload = encoded(message(60_000, List.of()).notBefore(PUBLISHED + 1), 7);
        assertThat(hex(payload))
                .isEqualTo("10" + "c8" + "0100" + "04000000" + "0068e5cf8b010000" + "60ea000000000000"
                        + "0700000000000000" + "0168e5cf8b010000"
                        + "0a616d71702d302d392d31" + "026578" + "046bc3a979"
                        + "04000000" + "48454144" + "626f6479");
        MessageRecord.check(payload);
        assertThat(MessageRecord.notBeforeMillis(payload)).isEqualTo(PUBLISHED + 1);
        assertThat(MessageRecord.headerBytes(payload)).isEqualTo(4);
        Message read = MessageRecord.decode(payload, NamedFormat::find);
        assertThat(read.notBeforeMillis()).isEqualTo(PUBLISHED + 1);
        assertThat(RecordText.of(RecordType.MESSAGE, payload))
                .isEqualTo("message, queue 7, body 4 bytes, not before 2023-11-14T22:13:20.001Z");
        assertThat(read.body()).isEqualTo(bytes("body"));
        assertThat(MessageRecord.notBeforeMillis(encoded(message(60_000, List.of()), 7))).isZero();
    }

    @Test
    void shouldRefuseAnUnknownFormat() {
        ByteBuffer payload = encoded(message(Message.NO_TTL, List.of()));
        assertThatThrownBy(() -> MessageRecord.decode(payload, name -> null))
                .isInstanceOf(BadRecord.class)
                .hasMessage("a message of the format 'amqp-0-9-1', which is not known");
        assertThat(payload.position()).isZero();
    }

    @Test
    void shouldRefuseNamesThatAreNotUtf8() {
        ByteBuffer payload = encoded(message(Message.NO_TTL, List.of()));
        payload.put(24 + 11 + 1, (byte) 0xFF);
        assertThatThrownBy(() -> MessageRecord.decode(payload, NamedFormat::find))
                .isInstanceOf(BadRecord.class)
                .hasMessageContaining("not UTF-8");
    }

    @Test
    void shouldRefuseABodyOfAnotherLength() {
        ByteBuffer payload = encoded(message(Message.NO_TTL, List.of()));
        payload.put(4, (byte) 3);
        assertThatThrownBy(() -> MessageRecord.decode(payload, NamedFormat::find))
                .isInstanceOf(BadRecord.class)
                .hasMessage("a body of 3 bytes where 4 are left");
    }

    @Test
    void shouldNotTakeMoreQueuesThanItHasRoomFor() {
        Message message = message(Message.NO_TTL, List.of());
        byte[] names = MessageRecord.names(message);
        assertThatThrownBy(() -> MessageRecord.encode(
                ByteBuffer.allocate(600_000), message, names, new long[65_536], 65_536, PUBLISHED))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
