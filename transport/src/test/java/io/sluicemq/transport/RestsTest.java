package io.sluicemq.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Peers as they behave, in virtual time, on a loop whose turns take no time but those the peers need. */
class RestsTest {

    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000 * MILLISECOND;

    /** One who sends, by the clock or when he is answered. */
    private interface Peer {
        /** How many commands wait in the socket at this time; the read of them is the answer to them. */
        int read(long now);

        /** When there will be one, if none waits. */
        long next();
    }

    /** Sends at a rate, whatever is answered. */
    private static final class Streaming implements Peer {

        private final long gap;
        private long sent;

        Streaming(int perMillisecond) {
            gap = MILLISECOND / perMillisecond;
        }

        @Override
        public int read(long now) {
            int count = (int) ((now - sent) / gap);
            sent += count * gap;
            return count;
        }

        @Override
        public long next() {
            return sent + gap;
        }
    }

    /** Sends so many at once, then waits for the answer, which takes its way there and back. */
    private static final class Waiting implements Peer {

        private final int window;
        private final long roundTrip;
        private long arrival;

        Waiting(int window, long roundTrip) {
            this.window = window;
            this.roundTrip = roundTrip;
            this.arrival = roundTrip;
        }

        @Override
        public int read(long now) {
            if (now < arrival) {
                return 0;
            }
            arrival = now + roundTrip;
            return window;
        }

        @Override
        public long next() {
            return arrival;
        }
    }

    /** Sends on while fewer than a number are unanswered; an answer takes its way. */
    private static final class Windowed implements Peer {

        private final int window;
        private final long gap;
        private final long way;
        private final Deque<Long> answers = new ArrayDeque<>();
        private long sent;
        private int unread;

        Windowed(int window, long gap, long way) {
            this.window = window;
            this.gap = gap;
            this.way = way;
        }

        private void send(long until) {
            while (sent + gap <= until) {
                if (unread + answers.size() == window && (answers.isEmpty() || answers.getFirst() > sent + gap)) {
                    if (answers.isEmpty() || answers.getFirst() > until) {
                        return;
                    }
                    sent = answers.removeFirst();
                    continue;
                }
                while (!answers.isEmpty() && answers.getFirst() <= sent + gap) {
                    answers.removeFirst();
                }
                sent += gap;
                unread++;
            }
        }

        @Override
        public int read(long now) {
            send(now);
            int count = unread;
            for (; unread > 0; unread--) {
                answers.addLast(now + way);
            }
            return count;
        }

        @Override
        public long next() {
            return unread > 0 ? sent : unread + answers.size() < window ? sent + gap : answers.getFirst() + gap;
        }
    }

    /** What a loop with these peers did in a time. */
    private static final class Run {

        private final List<Peer> peers;
        private final Rests rests;
        private final int[] seen;
        private long now;
        private long rested;
        private long commands;
        private long turns;
        private long longest;

        Run(long limit, Peer... peers) {
            this.peers = new ArrayList<>(List.of(peers));
            rests = new Rests(limit, 0);
            seen = new int[peers.length];
        }

        Run until(long end) {
            rested = 0;
            commands = 0;
            turns = 0;
            while (now < end) {
                long rest = rests.next(now);
                longest = Math.max(longest, rest);
                rested += rest;
                now += rest;
                long first = peers.stream().mapToLong(Peer::next).min().orElseThrow();
                now = Math.max(now, first);
                turns++;
                for (int i = 0; i < seen.length; i++) {
                    int count = peers.get(i).read(now);
                    if (count > 0) {
                        seen[i] = rests.read(count, seen[i]);
                        commands += count;
                    }
                }
            }
            return this;
        }
    }

    @Test
    void shouldGatherWhatAPeerSendsOn() {
        Run run = new Run(MILLISECOND, new Streaming(20)).until(2 * SECOND).until(4 * SECOND);
        assertThat(run.commands).isBetween(39_900L, 40_100L);
        assertThat(run.turns).isLessThan(run.commands / 10);
    }

    @Test
    void shouldGatherWhatManyPeersSendOn() {
        Run run = new Run(MILLISECOND, new Streaming(5), new Streaming(6), new Streaming(7)).until(SECOND)
                .until(2 * SECOND);
        assertThat(run.turns).isLessThan(run.commands / 8);
    }

    @Test
    void shouldNotSlowDownAPeerThatWaitsForEachAnswer() {
        Run without = new Run(0, new Waiting(1, 100_000)).until(10 * SECOND);
        Run with = new Run(MILLISECOND, new Waiting(1, 100_000)).until(10 * SECOND);
        assertThat(without.commands).isEqualTo(100_000);
        assertThat(with.commands).isGreaterThan(98_000);
    }

    /** As transactions of ten messages do. */
    @Test
    void shouldNotSlowDownAPeerThatWaitsForAnAnswerToSeveral() {
        Run with = new Run(
                MILLISECOND, new Waiting(2, 200_000), new Waiting(2, 150_000), new Waiting(2, 180_000))
                .until(10 * SECOND);
        Run without = new Run(
                0, new Waiting(2, 200_000), new Waiting(2, 150_000), new Waiting(2, 180_000)).until(10 * SECOND);
        assertThat(with.commands).isGreaterThan(without.commands * 95 / 100);
    }

    /** Its window is too small for rests of a millisecond: they would take most of its rate. */
    @Test
    void shouldNotSlowDownAPeerWhoseWindowIsSoonFull() {
        for (int window : new int[] {5, 10, 20, 40, 80}) {
            for (long gap : new long[] {10_000, 20_000, 50_000, 100_000}) {
                Run without = new Run(0, new Windowed(window, gap, 100_000)).until(3 * SECOND);
                Run with = new Run(MILLISECOND, new Windowed(window, gap, 100_000)).until(3 * SECOND);
                assertThat(with.commands)
                        .as("a window of %d, a command each %d ns", window, gap)
                        .isGreaterThan(without.commands * 88 / 100);
            }
        }
    }

    @Test
    void shouldRestOnlyWhileAPeerSendsOn() {
        Streaming streaming = new Streaming(20);
        Run run = new Run(MILLISECOND, streaming).until(2 * SECOND);
        assertThat(run.rested).isGreaterThan(SECOND);
        run.peers.set(0, new Waiting(1, 100_000));
        run.until(run.now + SECOND).until(run.now + SECOND);
        assertThat(run.commands).isGreaterThan(9_500);
    }

    @Test
    void shouldNotRestForFew() {
        Run run = new Run(MILLISECOND, new Streaming(2), new Streaming(1)).until(5 * SECOND);
        assertThat(run.rested).isZero();
    }

    @Test
    void shouldNeverRestIfToldSo() {
        assertThat(new Run(0, new Streaming(100)).until(SECOND).rested).isZero();
    }

    @Test
    void shouldNotRestForPeersWhoseReadsBringNoCommand() {
        Rests rests = new Rests(MILLISECOND, 0);
        int seen = 0;
        long rested = 0;
        for (long now = 0; now < SECOND; now += MILLISECOND / 10) {
            seen = rests.read(0, seen);
            rested += rests.next(now);
        }
        assertThat(rested).isZero();
    }

    @Test
    void shouldNotRestForManyPeersThatComeAtOnceAfterALongTime() {
        Rests rests = new Rests(MILLISECOND, 0);
        long week = 7 * 24 * 3_600 * SECOND;
        rests.next(MILLISECOND * 8);
        for (int peer = 0; peer < 3_000; peer++) {
            rests.read(1, 0);
        }
        assertThat(rests.next(2 * week)).isZero();
    }

    @Property(tries = 200)
    void shouldBoundEachRestAndWhatIsLostByThem(
            @ForAll @IntRange(min = 1, max = 60) int rate,
            @ForAll @IntRange(min = 1, max = 12) int window,
            @ForAll @IntRange(min = 20_000, max = 2_000_000) int roundTrip,
            @ForAll @IntRange(min = 50_000, max = 3_000_000) int limit) {
        Run without = new Run(0, new Streaming(rate), new Waiting(window, roundTrip)).until(5 * SECOND);
        Run with = new Run(limit, new Streaming(rate), new Waiting(window, roundTrip)).until(5 * SECOND);
        assertThat(with.longest).isLessThanOrEqualTo(limit);
        assertThat(with.commands).isGreaterThan(without.commands * 85 / 100);
    }
}
