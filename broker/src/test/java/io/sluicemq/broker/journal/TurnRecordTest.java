package io.sluicemq.broker.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnRecordTest {

    private final TurnRecord turn = new TurnRecord();

    private static ByteBuffer encoded(TurnRecord turn) {
        ByteBuffer payload = ByteBuffer.allocate(turn.length());
        turn.writeTo(payload);
        assertThat(payload.hasRemaining()).isFalse();
        return payload.flip();
    }

    private static void addAll(TurnRecord turn) {
        turn.delivered(5, 4_096);
        turn.removed(5, 1_024);
        turn.removed(5, 1_168);
        turn.removed(5, 1_312);
        turn.failed(4, 1_312, 300);
    }

    @Test
    void shouldEncodeTheBytesOfItsFormat() {
        addAll(turn);
        assertThat(HexFormat.of().formatHex(encoded(turn).array()))
                .isEqualTo("05" // operations
                        + "04" + "0a" // queue 5
                        + "06" + "8008" // one delivered at 512 * 8
                        + "05" + "ff05" // one removed, 384 * 8 before
                        + "09" + "24" // two more, 18 * 8 behind each other
                        + "04" + "01" // queue 4
                        + "07" + "00" + "ac02"); // one failed at the same position, 300 times
    }

    @Test
    void shouldEncodeATransactionsBytesOfItsFormat() throws BadRecord {
        List<CommitRecord.Publish> publishes = List.of(
                new CommitRecord.Publish(80, 33, 9, 4, 1_700_000_000_000L, -1, 0, new long[] {1, 2}),
                new CommitRecord.Publish(1L << 40, 900, 255, 800, 1_700_000_000_001L, 5, 0, new long[0]));
        turn.removed(1, 8);
        ByteBuffer payload = ByteBuffer.allocate(CommitRecord.length(publishes, turn));
        CommitRecord.encode(payload, publishes, turn);
        assertThat(payload.hasRemaining()).isFalse();
        assertThat(HexFormat.of().formatHex(payload.array()))
                .isEqualTo("02000000"
                        + "5000000000000000" + "21000000" + "09" + "00" + "0200" + "04000000" + "0068e5cf8b010000"
                        + "ffffffffffffffff" + "0100000000000000" + "0200000000000000"
                        + "0000000000010000" + "84030000" + "ff" + "00" + "0000" + "20030000" + "0168e5cf8b010000"
                        + "0500000000000000"
                        + "01" + "04" + "02" + "05" + "02");
        Operations operations = new Operations();
        CommitRecord.read(payload.flip(), operations);
        assertThat(operations.told).containsExactly(
                "published 80 33 9 4 1700000000000 -1 [1, 2]",
                "published 1099511627776 900 255 800 1700000000001 5 []",
                "removed 1 8");
    }

    @Test
    void shouldSayOfATransactionsMessageSinceWhenItMayBeDelivered() throws BadRecord {
        List<CommitRecord.Publish> publishes = List.of(
                new CommitRecord.Publish(80, 33, 9, 4, 1_700_000_000_000L, -1, 1_700_000_000_001L, new long[] {1}));
        ByteBuffer payload = ByteBuffer.allocate(CommitRecord.length(publishes, turn));
        CommitRecord.encode(payload, publishes, turn);
        assertThat(payload.hasRemaining()).isFalse();
        assertThat(HexFormat.of().formatHex(payload.array()))
                .isEqualTo("01000000"
                        + "5000000000000000" + "21000000" + "09" + "01" + "0100" + "04000000" + "0068e5cf8b010000"
                        + "ffffffffffffffff" + "0100000000000000" + "0168e5cf8b010000"
                        + "00");
        Operations operations = new Operations();
        CommitRecord.read(payload.flip(), operations);
        assertThat(operations.told).containsExactly(
                "published 80 33 9 4 1700000000000 -1 not before 1700000000001 [1]");
    }

    @Test
    void shouldTellWhatWasAddedInItsOrder() throws BadRecord {
        addAll(turn);
        Operations operations = new Operations();
        TurnRecord.read(encoded(turn), operations);
        assertThat(operations.told).containsExactly(
                "delivered 5 4096", "removed 5 1024", "removed 5 1168", "removed 5 1312", "failed 4 1312 300");
    }

    @Test
    void shouldTakeAFewBytesForManyMessagesOfOneSize() throws BadRecord {
        for (int i = 0; i < 2_000_000; i++) {
            turn.removed(3, 4_096 + 1_088L * i);
        }
        assertThat(turn.length()).isLessThan(20);
        Operations operations = new Operations();
        TurnRecord.read(encoded(turn), operations);
        assertThat(operations.told).hasSize(2_000_000).endsWith("removed 3 " + (4_096 + 1_088L * 1_999_999));
    }

    @Test
    void shouldStartAnewAfterAClear() {
        for (int i = 0; i < 50_000; i++) {
            turn.removed(i, 8L * i * i);
        }
        turn.clear();
        assertThat(turn.isEmpty()).isTrue();
        assertThat(encoded(turn).array()).containsExactly(0);
        addAll(turn);
        TurnRecord fresh = new TurnRecord();
        addAll(fresh);
        assertThat(encoded(turn)).isEqualTo(encoded(fresh));
    }

    @Test
    void shouldTakeMoreAfterItsLengthWasAsked() throws BadRecord {
        turn.removed(1, 8);
        assertThat(turn.length()).isEqualTo(5);
        turn.removed(1, 16);
        Operations operations = new Operations();
        TurnRecord.read(encoded(turn), operations);
        assertThat(operations.told).containsExactly("removed 1 8", "removed 1 16");
    }

    @Test
    void shouldRefuseWhatIsNoOperation() {
        assertThatThrownBy(() -> turn.removed(1, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> turn.removed(1, -8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> turn.failed(1, 8, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(turn.isEmpty()).isTrue();
    }

    @Test
    void shouldRefuseAnOperationOfNoQueueAndBytesLeftOver() {
        assertThatThrownBy(() -> TurnRecord.read(ByteBuffer.wrap(new byte[] {1, 5, 2}), new Operations()))
                .isInstanceOf(BadRecord.class)
                .hasMessage("an operation of no queue");
        assertThatThrownBy(() -> TurnRecord.read(ByteBuffer.wrap(new byte[] {0, 5}), new Operations()))
                .isInstanceOf(BadRecord.class)
                .hasMessage("1 bytes behind the last operation");
    }

    /** What a record tells, as text. */
    static final class Operations implements CommitRecord.Visitor {

        final List<String> told = new ArrayList<>();

        @Override
        public void removed(long queueId, long position) {
            told.add("removed " + queueId + " " + position);
        }

        @Override
        public void delivered(long queueId, long position) {
            told.add("delivered " + queueId + " " + position);
        }

        @Override
        public void failed(long queueId, long position, int count) {
            told.add("failed " + queueId + " " + position + " " + count);
        }

        @Override
        public void published(CommitRecord.Publish publish) {
            told.add("published " + publish.position() + " " + publish.payloadBytes() + " " + publish.priority() + " "
                    + publish.bodyBytes() + " " + publish.publishedMillis() + " " + publish.ttlMillis()
                    + (publish.notBeforeMillis() == 0 ? " " : " not before " + publish.notBeforeMillis() + " ")
                    + Arrays.toString(publish.queueIds()));
        }
    }
}
