package io.sluicemq.broker.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What was written is read; what was not is refused, and by nothing but a {@link BadRecord}. */
class RecordProperties {

    private static final CommitRecord.Visitor NOBODY = new CommitRecord.Visitor() {
        @Override
        public void published(CommitRecord.Publish publish) {}

        @Override
        public void removed(long queueId, long position) {}

        @Override
        public void delivered(long queueId, long position) {}

        @Override
        public void failed(long queueId, long position, int count) {}
    };

    /** Reads a payload of one kind. */
    private interface Reader {
        void read(ByteBuffer payload) throws BadRecord;
    }

    private static final Reader MESSAGE = payload -> MessageRecord.decode(payload, NamedFormat::find);
    private static final Reader HEADER = payload -> {
        MessageRecord.check(payload);
        MessageRecord.headerBytes(payload);
    };
    private static final Reader TURN = payload -> TurnRecord.read(payload, NOBODY);
    private static final Reader COMMIT = payload -> CommitRecord.read(payload, NOBODY);
    private static final Reader TOPOLOGY = TopologyRecord::decode;

    private static boolean refuses(Reader reader, ByteBuffer payload) {
        try {
            reader.read(payload);
            return false;
        } catch (BadRecord refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return true;
        }
    }

    /** No part of a payload may pass for the whole, and no changed byte may end in anything but an answer. */
    private static void assertSafe(Reader reader, byte[] payload, Random random) {
        for (int length = 0; length < payload.length; length++) {
            assertThat(refuses(reader, ByteBuffer.wrap(payload, 0, length)))
                    .as("cut at %d of %d", length, payload.length)
                    .isTrue();
        }
        for (int i = 0; i < 50 && payload.length > 0; i++) {
            byte[] damaged = payload.clone();
            damaged[random.nextInt(payload.length)] = (byte) random.nextInt();
            refuses(reader, ByteBuffer.wrap(damaged));
        }
    }

    // ---- messages ------------------------------------------------------------------------------------------------------

    @Provide
    Arbitrary<Message> messages() {
        Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(60);
        return Combinators.combine(
                texts(),
                texts(),
                texts().list().ofMaxSize(3),
                bytes,
                bytes,
                Arbitraries.integers().between(0, 255),
                Arbitraries.longs().between(-1, Long.MAX_VALUE),
                deaths().list().ofMaxSize(3))
                .as((exchange, key, keys, header, body, priority, ttl, deaths) -> {
                    Message message = new Message(
                            NamedFormat.AMQP, exchange, key, keys, header, body, priority % 2 == 0, priority, ttl,
                            null);
                    return deaths.isEmpty() ? message : message.afterDeath(exchange, key, keys, deaths);
                });
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.strings()
                .ofMaxLength(40)
                .filter(text -> text.chars().noneMatch(c -> Character.isSurrogate((char) c)));
    }

    private static Arbitrary<Death> deaths() {
        return Combinators.combine(
                texts(),
                Arbitraries.of(Death.Reason.class),
                Arbitraries.longs(),
                Arbitraries.longs(),
                texts(),
                texts().list().ofMaxSize(3),
                texts().injectNull(0.5),
                Arbitraries.of(true, false))
                .as(Death::new);
    }

    @Property(tries = 300)
    void shouldReadAMessageAsItWas(@ForAll("messages") Message message, @ForAll @Size(max = 5) long[] queueIds)
            throws BadRecord {
        ByteBuffer payload = MessageRecordTest.encoded(message, queueIds);
        Message read = MessageRecord.decode(payload, NamedFormat::find);
        assertThat(read).usingRecursiveComparison().ignoringFields("publishedMillis").isEqualTo(message);
        assertThat(read.publishedMillis()).isEqualTo(MessageRecord.publishedMillis(payload));
        assertThat(MessageRecord.queueCount(payload)).isEqualTo(queueIds.length);
        for (int i = 0; i < queueIds.length; i++) {
            assertThat(MessageRecord.queueId(payload, i)).isEqualTo(queueIds[i]);
        }
        MessageRecord.check(payload);
        assertThat(MessageRecord.headerBytes(payload)).isEqualTo(message.header().length);
        assertThat(payload.position()).isZero();
    }

    @Property(tries = 50)
    void shouldRefuseADamagedMessage(@ForAll("messages") Message message, @ForAll Random random) {
        byte[] payload = MessageRecordTest.encoded(message, 1, 2).array();
        assertSafe(MESSAGE, payload, random);
        for (int i = 0; i < 50; i++) {
            byte[] damaged = payload.clone();
            damaged[random.nextInt(payload.length)] = (byte) random.nextInt();
            refuses(HEADER, ByteBuffer.wrap(damaged));
        }
    }

    // ---- turns and transactions ----------------------------------------------------------------------------------------

    private static List<String> addOperations(TurnRecord turn, int count, Random random) {
        List<String> added = new ArrayList<>();
        long queueId = 0;
        long position = 0;
        for (int i = 0; i < count; i++) {
            if (random.nextInt(6) == 0) {
                queueId = random.nextBoolean() ? random.nextLong() : random.nextInt(10);
            }
            switch (random.nextInt(10)) {
                case 0 -> position = random.nextLong() >>> 1 & -8;
                case 1, 2 -> position = Math.max(0, position - 8L * random.nextInt(100));
                default -> position = position + 128 & Long.MAX_VALUE;
            }
            switch (random.nextInt(8)) {
                case 0 -> {
                    int failures = random.nextInt() >>> 1;
                    turn.failed(queueId, position, failures);
                    added.add("failed " + queueId + " " + position + " " + failures);
                }
                case 1 -> {
                    turn.delivered(queueId, position);
                    added.add("delivered " + queueId + " " + position);
                }
                default -> {
                    turn.removed(queueId, position);
                    added.add("removed " + queueId + " " + position);
                }
            }
        }
        return added;
    }

    private static byte[] encoded(TurnRecord turn) {
        ByteBuffer payload = ByteBuffer.allocate(turn.length());
        turn.writeTo(payload);
        assertThat(payload.hasRemaining()).isFalse();
        return payload.array();
    }

    @Property(tries = 300)
    void shouldReadATurnAsItWas(@ForAll @IntRange(max = 500) int count, @ForAll Random random) throws BadRecord {
        TurnRecord turn = new TurnRecord();
        List<String> added = addOperations(turn, count, random);
        TurnRecordTest.Operations operations = new TurnRecordTest.Operations();
        TurnRecord.read(ByteBuffer.wrap(encoded(turn)), operations);
        assertThat(operations.told).isEqualTo(added);
    }

    @Property(tries = 50)
    void shouldRefuseADamagedTurn(@ForAll @IntRange(max = 60) int count, @ForAll Random random) {
        TurnRecord turn = new TurnRecord();
        addOperations(turn, count, random);
        assertSafe(TURN, encoded(turn), random);
    }

    @Property(tries = 50)
    void shouldRefuseADamagedTransaction(@ForAll @IntRange(max = 20) int count, @ForAll Random random) {
        TurnRecord turn = new TurnRecord();
        addOperations(turn, count, random);
        List<CommitRecord.Publish> publishes = new ArrayList<>();
        for (int i = 0; i < count / 4; i++) {
            publishes.add(new CommitRecord.Publish(
                    8L * random.nextInt(1 << 20), 500, i, 400, random.nextLong(), -1, random.nextInt(3),
                    new long[] {random.nextLong()}));
        }
        ByteBuffer payload = ByteBuffer.allocate(CommitRecord.length(publishes, turn));
        CommitRecord.encode(payload, publishes, turn);
        assertThat(payload.hasRemaining()).isFalse();
        assertSafe(COMMIT, payload.array(), random);
    }

    // ---- topology ------------------------------------------------------------------------------------------------------

    @Provide
    Arbitrary<Map<String, Object>> tables() {
        return table(values(3));
    }

    private static Arbitrary<Map<String, Object>> table(Arbitrary<Object> values) {
        return Combinators.combine(texts().list().ofMaxSize(5), values.list().ofSize(5)).as((names, list) -> {
            Map<String, Object> table = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                table.put(names.get(i), list.get(i));
            }
            return table;
        });
    }

    private static Arbitrary<Object> values(int depth) {
        Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        List<Arbitrary<?>> kinds = new ArrayList<>(List.of(
                Arbitraries.just(null),
                Arbitraries.of(true, false),
                Arbitraries.bytes(),
                Arbitraries.shorts(),
                Arbitraries.integers(),
                Arbitraries.longs(),
                Arbitraries.longs().between(0, 0xFF).map(UnsignedInteger.OfByte::new),
                Arbitraries.longs().between(0, 0xFFFF).map(UnsignedInteger.OfShort::new),
                Arbitraries.longs().between(0, 0xFFFF_FFFFL).map(UnsignedInteger.OfInt::new),
                Arbitraries.floats(),
                Arbitraries.doubles(),
                Arbitraries.of(Float.NaN, Double.NaN, Double.NEGATIVE_INFINITY, -0.0),
                Combinators.combine(Arbitraries.bigIntegers(), Arbitraries.integers())
                        .as((unscaled, scale) -> new BigDecimal(unscaled, scale)),
                Arbitraries.bigIntegers().map(number -> number.multiply(BigInteger.TEN.pow(30))),
                texts(),
                bytes.map(LongString::new),
                bytes.map(Binary::new),
                Arbitraries.longs().map(Timestamp::new)));
        if (depth > 0) {
            kinds.add(Arbitraries.lazy(() -> values(depth - 1)).list().ofMaxSize(5));
            kinds.add(Arbitraries.lazy(() -> table(values(depth - 1))));
        }
        return Arbitraries.oneOf(kinds.stream()
                .map(kind -> kind.map(value -> (Object) value))
                .toList());
    }

    @Property(tries = 300)
    void shouldReadArgumentsAsTheyWereAndInTheirOrder(@ForAll("tables") Map<String, Object> arguments)
            throws BadRecord {
        TopologyRecord.QueueDeclared record =
                new TopologyRecord.QueueDeclared("/", 1, "q", true, false, false, "ann", arguments);
        TopologyRecord.QueueDeclared read =
                (TopologyRecord.QueueDeclared) TopologyRecord.decode(ByteBuffer.wrap(record.encode()));
        assertThat(read).isEqualTo(record);
        assertThat(read.arguments().keySet()).containsExactlyElementsOf(arguments.keySet());
    }

    @Property(tries = 50)
    void shouldRefuseADamagedChangeOfTheTopology(
            @ForAll("tables") Map<String, Object> arguments, @ForAll Random random) {
        assertSafe(TOPOLOGY, new TopologyRecord.Bound("h", "s", "d", true, "k", arguments).encode(), random);
    }

    // ---- anything ------------------------------------------------------------------------------------------------------

    @Property(tries = 2_000)
    void shouldReadOrRefuseAnyBytes(@ForAll @Size(max = 200) byte[] bytes) {
        for (Reader reader : List.of(MESSAGE, TURN, COMMIT, TOPOLOGY)) {
            refuses(reader, ByteBuffer.wrap(bytes));
        }
    }
}
