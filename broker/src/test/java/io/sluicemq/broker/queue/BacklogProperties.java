package io.sluicemq.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import io.sluicemq.broker.journal.BadRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.BeforeTry;

/** A backlog against a list that does the same the plain way. */
class BacklogProperties {

    private static final long NEVER = Long.MAX_VALUE;

    private record Entry(
            long place, int share, int headerBytes, int bodyBytes, long expiresAt, Message message) {

        long sizeBytes() {
            return headerBytes + bodyBytes + Message.OVERHEAD_BYTES;
        }
    }

    /** A snapshot and what it has to hold. */
    private record Taken(Backlog.Snapshot snapshot, List<Entry> expected) {}

    private Backlog backlog;
    private List<Entry> model;
    private List<Taken> snapshots;
    private long nextPosition;

    @BeforeTry
    void startEmpty() {
        backlog = new Backlog();
        model = new ArrayList<>();
        snapshots = new ArrayList<>();
        nextPosition = 1 << 20;
    }

    @Property(tries = 150)
    void shouldDoWhatAListDoes(@ForAll @Size(max = 60) List<@IntRange(max = 12) Integer> steps, @ForAll long seed)
            throws BadRecord {
        Random random = new Random(seed);
        for (int step : steps) {
            step(step, random);
            assertSame(random);
        }
        for (Taken taken : snapshots) {
            assertThat(decoded(taken.snapshot(), random.nextInt(EntryBlock.MIN_BYTES, 500)))
                    .isEqualTo(taken.expected());
        }
    }

    private void step(int step, Random random) {
        int many = random.nextInt(3) == 0 ? random.nextInt(3_000) : random.nextInt(20);
        switch (step) {
            case 0, 1, 2 -> append(many, random);
            case 3 -> prepend(many, random);
            case 4, 5 -> removeFirst(many);
            case 6 -> removeDue(random);
            case 7 -> move(random);
            case 9 -> pageHeld(random);
            case 11, 12 -> takeOutAndPutBack(random);
            case 8 -> snapshots.add(new Taken(backlog.snapshot(), logged()));
            default -> {
                if (random.nextInt(4) == 0) {
                    backlog.clear();
                    model.clear();
                } else {
                    removeFirst(model.size());
                }
            }
        }
    }

    private List<Entry> logged() {
        return model.stream().filter(entry -> entry.place >= 0 && !Backlog.isPaged(entry.place)).toList();
    }

    private Entry entry(Random random, boolean simple) {
        nextPosition += 8 * (simple ? 16 : random.nextInt(-3, 40));
        long expiresAt = simple || random.nextBoolean() ? NEVER : random.nextInt(1_000);
        boolean inMemory = !simple && random.nextInt(8) == 0;
        Message message = inMemory ? Samples.message("m", 10) : null;
        int bodyBytes = simple ? 100 : random.nextInt(200);
        // As a rule all of a queue are alike in that.
        int headerBytes = simple || random.nextInt(8) > 0 ? 30 : random.nextInt(100);
        long place = nextPosition + (!simple && random.nextInt(8) == 0 ? Backlog.PAGED : 0);
        return new Entry(inMemory ? -1 : place, bodyBytes + 20, headerBytes, bodyBytes, expiresAt, message);
    }

    private void append(int many, Random random) {
        boolean simple = random.nextBoolean();
        for (int i = 0; i < many; i++) {
            Entry entry = entry(random, simple);
            model.add(entry);
            backlog.append(entry.place, entry.share, entry.headerBytes, entry.bodyBytes, entry.expiresAt,
                    entry.message);
        }
    }

    private void prepend(int many, Random random) {
        List<Entry> added = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            Entry entry = entry(random, false);
            added.addFirst(entry);
            long sequence =
                    backlog.isEmpty() ? backlog.nextSequence() : backlog.firstSequence() - 1 - random.nextInt(2);
            backlog.prepend(sequence, entry.place, entry.share, entry.headerBytes, entry.bodyBytes, entry.expiresAt,
                    entry.message);
        }
        model.addAll(0, added);
    }

    /** Some leave from anywhere, and some of those come back to where they were, in any order and later than others leave. */
    private void takeOutAndPutBack(Random random) {
        List<Long> numbers = numbers();
        Map<Long, Entry> out = new HashMap<>();
        int share = random.nextInt(1, 10);
        for (int i = numbers.size() - 1; i >= 0; i--) {
            if (random.nextInt(10) < share) {
                List<Entry> told = new ArrayList<>();
                assertThat(backlog.contains(numbers.get(i))).isTrue();
                assertThat(backlog.place(numbers.get(i))).isEqualTo(model.get(i).place);
                backlog.remove(numbers.get(i), collector(told));
                assertThat(told).containsExactly(model.get(i));
                assertThat(backlog.contains(numbers.get(i))).isFalse();
                out.put(numbers.remove(i), model.remove(i));
            }
        }
        List<Long> back = new ArrayList<>(out.keySet());
        Collections.shuffle(back, random);
        for (long number : back.subList(0, back.size() * random.nextInt(11) / 10)) {
            Entry entry = out.get(number);
            int at = -1 - Collections.binarySearch(numbers, number);
            numbers.add(at, number);
            model.add(at, entry);
            backlog.insert(
                    number, entry.place, entry.share, entry.headerBytes, entry.bodyBytes, entry.expiresAt,
                    entry.message);
        }
        assertThat(numbers()).isEqualTo(numbers);
    }

    private List<Long> numbers() {
        List<Long> numbers = new ArrayList<>();
        for (long number = backlog.firstFrom(Long.MIN_VALUE); number != Long.MAX_VALUE; number =
                backlog.firstFrom(number + 1)) {
            numbers.add(number);
        }
        return numbers;
    }

    private void removeFirst(int many) {
        for (int i = Math.min(many, model.size()); i > 0; i--) {
            Entry entry = model.removeFirst();
            assertThat(backlog.firstPosition()).isEqualTo(Backlog.position(entry.place));
            assertThat(backlog.firstIsPaged()).isEqualTo(Backlog.isPaged(entry.place));
            assertThat(backlog.firstShare()).isEqualTo(entry.share);
            assertThat(backlog.firstHeaderBytes()).isEqualTo(entry.headerBytes);
            assertThat(backlog.firstBodyBytes()).isEqualTo(entry.bodyBytes);
            assertThat(backlog.firstExpiresAt()).isEqualTo(entry.expiresAt);
            assertThat(backlog.firstMessage()).isSameAs(entry.message);
            backlog.removeFirst();
        }
    }

    private void removeDue(Random random) {
        long now = random.nextInt(10) == 0 ? NEVER : random.nextInt(1_000);
        int skip = random.nextInt(5) == 0 ? random.nextInt(2_000) : random.nextInt(3);
        int most = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(600);
        List<Entry> expected = new ArrayList<>();
        for (int i = skip; i < model.size() && expected.size() < most;) {
            if (model.get(i).expiresAt <= now && model.get(i).expiresAt != NEVER) {
                expected.add(model.remove(i));
            } else {
                i++;
            }
        }
        List<Entry> removed = new ArrayList<>();
        backlog.removeDue(now, skip, most, numbered(removed));
        assertThat(removed).isEqualTo(expected);
        if (skip == 0 && most == Integer.MAX_VALUE && now != NEVER) {
            assertThat(backlog.minExpiresAt()).isGreaterThan(now);
        }
    }

    private void move(Random random) {
        long lowest = random.nextLong(nextPosition);
        long highest = random.nextLong(lowest, nextPosition + 1);
        long by = 8 * random.nextInt(1, 1_000);
        List<List<Long>> expected = new ArrayList<>();
        for (int i = 0; i < model.size(); i++) {
            Entry entry = model.get(i);
            long position = Backlog.position(entry.place);
            if (position >= Math.max(0, lowest) && position <= highest && position % 3 == 0) {
                model.set(i, new Entry(
                        entry.place + by, entry.share, entry.headerBytes, entry.bodyBytes, entry.expiresAt, null));
                expected.add(List.of(position, position + by, (long) entry.share));
            }
        }
        List<List<Long>> moved = new ArrayList<>();
        backlog.move(
                lowest,
                highest,
                position -> position % 3 == 0 ? position + by : -1,
                (from, to, share) -> moved.add(List.of(from, to, (long) share)));
        assertThat(moved).isEqualTo(expected);
    }

    /** Some of those in memory are written, the last first; every fourth is refused. */
    private void pageHeld(Random random) {
        List<Integer> held = new ArrayList<>();
        for (int i = model.size() - 1; i >= 0; i--) {
            if (model.get(i).message != null) {
                held.add(i);
            }
        }
        int most = random.nextInt(held.size() + 2);
        long first = nextPosition + 8;
        for (int n = 0; n < Math.min(most, held.size()); n++) {
            nextPosition += 8;
            if (n % 4 != 3) {
                Entry entry = model.get(held.get(n));
                model.set(held.get(n), new Entry(
                        nextPosition + Backlog.PAGED, 1000 + n, entry.headerBytes, entry.bodyBytes, entry.expiresAt,
                        null));
            }
        }
        int[] asked = new int[1];
        backlog.pageHeld(new Backlog.Pager() {
            @Override
            public long page(long sequence, Message message) {
                int n = asked[0]++;
                return n >= most ? ENOUGH : n % 4 == 3 ? -2 : first + 8L * n;
            }

            @Override
            public int share() {
                return 1000 + asked[0] - 1;
            }
        });
    }

    private void assertSame(Random random) {
        List<Entry> all = new ArrayList<>();
        backlog.forEach(collector(all));
        assertThat(all).isEqualTo(model);
        assertThat(backlog.size()).isEqualTo(model.size());
        assertThat(backlog.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(backlog.bodyBytes()).isEqualTo(model.stream().mapToLong(Entry::bodyBytes).sum());
        assertThat(backlog.sizeBytes())
                .isEqualTo(model.stream().mapToLong(Entry::sizeBytes).sum());
        assertThat(backlog.held()).isEqualTo((int) model.stream().filter(each -> each.message != null).count());
        assertThat(backlog.heldBytes()).isEqualTo(model.stream().filter(each -> each.message != null)
                .mapToLong(each -> each.message.sizeBytes()).sum());
        assertThat(backlog.minExpiresAt())
                .isLessThanOrEqualTo(model.stream().mapToLong(Entry::expiresAt).min().orElse(NEVER));
        assertThat(backlog.indexBytes()).isGreaterThanOrEqualTo(16L * model.size());
        assertPeeksTheFirst(random);
        long lowest = random.nextLong(-10, nextPosition);
        long highest = random.nextLong(lowest, nextPosition + 1);
        List<Long> found = new ArrayList<>();
        backlog.findAny(position -> position % 5 == 0, lowest, highest, found::add);
        assertThat(found)
                .isEqualTo(model.stream()
                        .map(entry -> Backlog.position(entry.place))
                        .filter(position -> position >= 0
                                && position >= lowest
                                && position <= highest
                                && position % 5 == 0)
                        .toList());
    }

    private void assertPeeksTheFirst(Random random) {
        int max = random.nextInt(1, 50);
        long maxBytes = random.nextInt(9_000);
        long[] places = new long[max];
        int count = backlog.peek(Long.MIN_VALUE, max, maxBytes, new long[max], places);
        long bytes = 0;
        int expected = 0;
        while (expected < Math.min(max, model.size())) {
            bytes += model.get(expected).sizeBytes();
            if (expected > 0 && bytes > maxBytes) {
                break;
            }
            assertThat(places[expected]).isEqualTo(model.get(expected).place);
            expected++;
        }
        assertThat(count).isEqualTo(expected);
    }

    private static Backlog.Numbered numbered(List<Entry> entries) {
        Backlog.Entries collector = collector(entries);
        return (sequence, position, share, headerBytes, bodyBytes, expiresAt, message) -> collector
                .entry(position, share, headerBytes, bodyBytes, expiresAt, message);
    }

    private static Backlog.Entries collector(List<Entry> entries) {
        return (position, share, headerBytes, bodyBytes, expiresAt, message) -> entries
                .add(new Entry(position, share, headerBytes, bodyBytes, expiresAt, message));
    }

    private static List<Entry> decoded(Backlog.Snapshot snapshot, int blockBytes) throws BadRecord {
        List<Entry> entries = new ArrayList<>();
        boolean remain = true;
        while (remain) {
            ByteBuffer block = ByteBuffer.allocate(blockBytes);
            remain = snapshot.encodeNext(block);
            block.flip();
            int before = entries.size();
            EntryBlock.decode(block, true, collector(entries));
            assertThat(block.hasRemaining()).isFalse();
            assertThat(entries.size() > before || !remain).isTrue();
        }
        return entries;
    }

    @Property(tries = 500)
    void shouldReadOrRefuseAnyBytes(@ForAll byte[] bytes, @ForAll boolean headers) {
        int[] told = new int[1];
        try {
            EntryBlock.decode(
                    ByteBuffer.wrap(bytes), headers, (position, share, header, body, expiresAt, message) -> told[0]++);
        } catch (BadRecord refused) {
            assertThat(refused).hasMessageMatching(".+");
        }
        assertThat(told[0]).isLessThanOrEqualTo(EntryBlock.MAX_ENTRIES);
    }

    @Property(tries = 200)
    void shouldRefuseABlockThatIsCutOff(@ForAll @IntRange(min = 1, max = 200) int many, @ForAll long seed) {
        append(many, new Random(seed));
        ByteBuffer block = ByteBuffer.allocate(8_000);
        backlog.snapshot().encodeNext(block);
        block.flip();
        for (int length = 0; length < block.limit(); length++) {
            ByteBuffer cut = block.duplicate().limit(length);
            assertThat(refused(cut)).as("cut at %d of %d", length, block.limit()).isTrue();
        }
    }

    private static boolean refused(ByteBuffer in) {
        try {
            EntryBlock.decode(in, true, (position, share, header, body, expiresAt, message) -> {});
            return false;
        } catch (BadRecord refused) {
            return true;
        }
    }
}
