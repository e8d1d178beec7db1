package io.sluicemq.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Message;
import io.sluicemq.broker.journal.BadRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class BacklogTest {

    private static final long NEVER = Long.MAX_VALUE;

    private final Backlog backlog = new Backlog();

    private void append(int from, int to) {
        for (int i = from; i < to; i++) {
            backlog.append(1_000 + 128L * i, 128, 20, 100, NEVER, null);
        }
    }

    @Test
    void shouldTakeSixteenBytesAnEntry() {
        append(0, 1_000_000);
        assertThat(backlog.indexBytes()).isBetween(16_000_000L, 16_400_000L);
        while (!backlog.isEmpty()) {
            backlog.removeFirst();
        }
        assertThat(backlog.indexBytes()).isZero();
    }

    @Test
    void shouldTakeLittleWhenItIsShort() {
        append(0, 1);
        assertThat(backlog.indexBytes()).isLessThan(500);
    }

    @Test
    void shouldNotKeepAChunkForEachSurvivorOfAnExpiry() {
        for (int i = 0; i < 102_400; i++) {
            backlog.append(8L * i, 8, 0, 0, i % 1_024 == 7 ? NEVER : 5, null);
        }
        int[] removed = new int[1];
        backlog.removeDue(
                5, 0, Integer.MAX_VALUE,
                (sequence, position, share, header, bodyBytes, expiresAt, message) -> removed[0]++);
        assertThat(removed[0]).isEqualTo(102_300);
        assertThat(backlog.size()).isEqualTo(100);
        assertThat(backlog.minExpiresAt()).isEqualTo(NEVER);
        assertThat(backlog.indexBytes()).isLessThan(50_000);
    }

    @Test
    void shouldEncodeMessagesOfOneSizeInAFewBytes() throws BadRecord {
        append(0, 3_000_000);
        Backlog.Snapshot snapshot = backlog.snapshot();
        ByteBuffer block = ByteBuffer.allocate(100);
        assertThat(snapshot.encodeNext(block)).isFalse();
        assertThat(block.flip().remaining()).isLessThan(40);
        long[] sum = new long[2];
        EntryBlock.decode(block, true, (position, share, header, bodyBytes, expiresAt, message) -> {
            assertThat(position == 1_000 + 128 * sum[0] && share == 128 && bodyBytes == 100).isTrue();
            sum[0]++;
        });
        assertThat(sum[0]).isEqualTo(3_000_000);
    }

    @Test
    void shouldEncodeOnlyWhatIsInTheLog() throws BadRecord {
        backlog.append(80, 1, 0, 1, NEVER, null);
        backlog.append(-1, 0, 0, 1, NEVER, Samples.message("kept", 1));
        backlog.append(96, 1, 0, 1, NEVER, null);
        backlog.append(88, 1, 0, 1, NEVER, null);
        ByteBuffer block = ByteBuffer.allocate(100);
        assertThat(backlog.snapshot().encodeNext(block)).isFalse();
        List<Long> positions = new ArrayList<>();
        EntryBlock.decode(block.flip(), true,
                (position, share, header, bodyBytes, expiresAt, message) -> positions.add(position));
        assertThat(positions).containsExactly(80L, 96L, 88L);
    }

    @Test
    void shouldEncodeTheBytesOfItsFormat() {
        backlog.append(1_000, 140, 5, 100, NEVER, null);
        backlog.append(1_144, 140, 5, 100, NEVER, null);
        backlog.append(1_288, 140, 5, 100, NEVER, null);
        backlog.append(1_280, 140, 5, 100, 1_700_000_000_000L, null);
        backlog.append(1_424, 300, 200, 256, 1_700_000_000_001L, null);
        ByteBuffer block = ByteBuffer.allocate(100);
        assertThat(backlog.snapshot().encodeNext(block)).isFalse();
        assertThat(HexFormat.of().formatHex(block.array(), 0, block.position()))
                .isEqualTo("05000000" // entries
                        + "04" + "fa01" + "8c01" + "05" + "64" // one at 125 * 8, its sizes
                        + "0a" + "24" // two more with those, at a distance of 18 * 8
                        + "07" + "01" + "80a0abfef962" // one that expires, 8 before
                        + "05" + "24" + "ac02" + "c801" + "8002" + "02"); // one with other sizes, a millisecond later
    }

    /** As blocks were written before they had header bytes. */
    @Test
    void shouldReadBlocksWithoutHeaders() throws BadRecord {
        byte[] bytes = HexFormat.of().parseHex("03000000" + "04" + "fa01" + "8c01" + "64" + "0a" + "24");
        List<List<Long>> read = new ArrayList<>();
        EntryBlock.decode(
                ByteBuffer.wrap(bytes), false, (position, share, header, body, expiresAt, message) -> read
                        .add(List.of(position, (long) share, (long) header, (long) body)));
        assertThat(read).containsExactly(
                List.of(1_000L, 140L, 0L, 100L), List.of(1_144L, 140L, 0L, 100L), List.of(1_288L, 140L, 0L, 100L));
    }

    @Test
    void shouldKeepHeaderSizesApartOnlyWhereTheyDiffer() {
        append(0, 10_240);
        long alike = backlog.indexBytes();
        backlog.append(8L << 20, 128, 21, 100, NEVER, null);
        backlog.append(9L << 20, 128, 20, 100, NEVER, null);
        assertThat(backlog.indexBytes() - alike).isLessThan(2 * (4 * 1_024 + 16 * 1_024 + 200));
        assertThat(backlog.sizeBytes()).isEqualTo(10_242 * (120L + Message.OVERHEAD_BYTES) + 1);
        while (backlog.size() > 2) {
            backlog.removeFirst();
        }
        assertThat(backlog.firstHeaderBytes()).isEqualTo(21);
        backlog.removeFirst();
        assertThat(backlog.firstHeaderBytes()).isEqualTo(20);
        backlog.removeFirst();
        assertThat(backlog.sizeBytes()).isZero();
    }

    @Test
    void shouldRefuseAGroupThatSaysMoreThanItsBlock() {
        byte[] bytes = HexFormat.of().parseHex("02000000" + "0c" + "02" + "01" + "01" + "01");
        assertThatThrownBy(() -> EntryBlock.decode(
                ByteBuffer.wrap(bytes), true, (position, share, header, bodyBytes, expiresAt, message) -> {}))
                .isInstanceOf(BadRecord.class)
                .hasMessage("a group of 3 entries where 2 are left");
    }

    @Test
    void shouldRefuseWhatIsNoEntry() {
        assertThatThrownBy(() -> backlog.append(12, 1, 0, 1, NEVER, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> backlog.append(-1, 1, 0, 1, NEVER, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> backlog.append(16, -1, 0, 1, NEVER, null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(backlog::firstPosition).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> backlog.snapshot().encodeNext(ByteBuffer.allocate(10)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
