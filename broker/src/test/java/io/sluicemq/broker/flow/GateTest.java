package io.sluicemq.broker.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class GateTest {

    private final ManualLoops loops = new ManualLoops(2);
    private final ManualLoop home = loops.get(0);
    private final ManualLoop other = loops.get(1);
    private final Account account =
            new Account(Account.Kind.EXCHANGE, "x", "/", null, home, limits(FullPolicy.BLOCK, 100, 80));
    private final List<String> log = new ArrayList<>();
    private boolean drained;

    GateTest() {
        account.gate().drainedWhen(() -> drained);
    }

    private static AddressLimits limits(FullPolicy policy, long messages, int lowWaterPercent) {
        return new AddressLimits(
                AddressLimits.NONE, messages, policy, lowWaterPercent, AddressLimits.NONE, AddressLimits.NONE, false);
    }

    /** Somebody who waits and says what becomes of it. */
    private final class Waiting implements Ticket.Holder {

        final String name;
        BiConsumer<Ticket, Long> onGrant = (ticket, messages) -> {};

        Waiting(String name) {
            this.name = name;
        }

        Ticket enters(boolean internal, long first, long all) {
            Ticket ticket = ticket(home, internal, first, all);
            home.run(() -> account.gate().enter(ticket));
            return ticket;
        }

        Ticket ticket(ManualLoop loop, boolean internal, long first, long all) {
            return new Ticket(account, this, loop, internal, first, first, all, all, 0, account.limits());
        }

        @Override
        public void granted(Ticket ticket, long bytes, long messages) {
            log.add(name + " " + messages);
            onGrant.accept(ticket, messages);
        }

        @Override
        public void reconsider(Ticket ticket) {
            log.add(name + " again");
        }

        @Override
        public String connection() {
            return name;
        }

        @Override
        public String producer() {
            return name;
        }

        @Override
        public boolean waits(Ticket ticket) {
            return true;
        }

        @Override
        public int parkedMessages() {
            return 1;
        }

        @Override
        public long parkedBytes() {
            return 1;
        }
    }

    private void fill(int messages) {
        assertThat(account.reserve(home, messages, messages, null, java.util.Set.of())).isNull();
    }

    private void free(int messages) {
        home.run(() -> account.left(home, messages, messages));
    }

    private void wait(String name, int messages) {
        new Waiting(name).enters(false, 1, messages);
    }

    @Test
    void shouldServeInOrderAFairPartOfWhatIsFree() {
        fill(100);
        wait("a", 50);
        wait("b", 1);
        wait("c", 50);
        assertThat(log).isEmpty();
        free(31);
        // 30 free beside a's first, for three; then 20 beside b's and c's first.
        assertThat(log).containsExactly("a 11", "b 1", "c 19");
        assertThat(account.usedMessages()).isEqualTo(100);
        assertThat(account.isWaited()).isFalse();
    }

    @Test
    void shouldServeNobodyAboveTheLowWaterMarkWhileConsumersHaveMessages() {
        fill(100);
        wait("a", 1);
        free(19);
        assertThat(log).isEmpty();
        free(1);
        assertThat(log).containsExactly("a 1");
    }

    @Test
    void shouldServeAboveTheLowWaterMarkWhenConsumersHaveNothing() {
        drained = true;
        fill(100);
        wait("a", 1);
        free(1);
        assertThat(log).containsExactly("a 1");
        wait("b", 1);
        drained = false;
        free(1);
        assertThat(log).hasSize(1);
        drained = true;
        home.run(account.gate()::plan);
        assertThat(log).containsExactly("a 1", "b 1");
    }

    @Test
    void shouldServeTheBrokersOwnMovesFirstAndWhateverTheMark() {
        fill(100);
        wait("a", 1);
        new Waiting("letter").enters(true, 1, 1);
        free(1);
        assertThat(log).containsExactly("letter 1");
        free(30);
        assertThat(log).containsExactly("letter 1", "a 1");
    }

    @Test
    void shouldNotLetASmallOnePassALargeOne() {
        fill(100);
        new Waiting("large").enters(false, 60, 60);
        wait("small", 1);
        free(50);
        assertThat(log).isEmpty();
        free(10);
        assertThat(log).containsExactly("large 60");
        free(60);
        assertThat(log).containsExactly("large 60", "small 1");
    }

    @Test
    void shouldLookAgainWhenTheFirstLeaves() {
        fill(100);
        Ticket large = new Waiting("large").enters(false, 60, 60);
        wait("small", 1);
        free(50);
        home.run(() -> account.gate().leave(large));
        assertThat(log).containsExactly("small 1");
    }

    /** A client that ends takes its places back one by one: none of them may be served in between. */
    @Test
    void shouldServeNobodyInTheMiddleOfALeave() {
        fill(100);
        Ticket large = new Waiting("large").enters(false, 60, 60);
        Ticket small = new Waiting("small").enters(false, 1, 1);
        free(50);
        home.run(() -> {
            account.gate().leave(large);
            account.gate().leave(small);
        });
        assertThat(log).isEmpty();
        assertThat(account.isWaited()).isFalse();
    }

    @Test
    void shouldHaveAllAskAgainInTheirOrderWhenLimitsChange() {
        fill(100);
        wait("a", 1);
        wait("b", 1);
        home.run(() -> account.limits(limits(FullPolicy.FAIL, 100, 80)));
        assertThat(log).containsExactly("a again", "b again");
        assertThat(account.gate().isEmpty()).isTrue();
        assertThat(account.isWaited()).isFalse();
    }

    /** It was on its way when they changed: nobody would ever look at it by the new ones. */
    @Test
    void shouldHaveWhoComesUnderLimitsThatHoldNoMoreAskAgain() {
        fill(100);
        Ticket late = new Waiting("late").ticket(other, false, 60, 60);
        home.run(() -> account.limits(limits(FullPolicy.BLOCK, 50, 80)));
        home.run(() -> account.gate().enter(late));
        loops.runAll();
        assertThat(log).containsExactly("late again");
        wait("next", 1);
        free(61);
        assertThat(log).containsExactly("late again", "next 1");
    }

    /** The one room is given back while the gate is still serving, and asked for again at once. */
    @Test
    void shouldNotForgetWhoGivesBackAndWaitsAgainWhileItServes() {
        drained = true;
        fill(100);
        Waiting holder = new Waiting("a");
        holder.onGrant = (ticket, messages) -> {
            holder.onGrant = (again, more) -> {};
            account.left(home, messages, messages);
            account.gate().enter(holder.ticket(home, false, 2, 2));
        };
        holder.enters(false, 1, 1);
        free(1);
        assertThat(log).containsExactly("a 1");
        free(1);
        assertThat(log).containsExactly("a 1", "a 2");
    }

    @Test
    void shouldServeAHundredThousandOnItsLoopWithoutNesting() {
        drained = true;
        fill(100);
        Waiting many = new Waiting("m");
        int[] left = {100_000};
        many.onGrant = (ticket, messages) -> {
            if (--left[0] > 0) {
                account.left(home, messages, messages);
            }
        };
        for (int i = 0; i < 100_000; i++) {
            many.enters(false, 1, 1);
        }
        free(1);
        loops.runAll();
        assertThat(left[0]).isZero();
        for (int i = 0; i < 100_000; i++) {
            many.enters(false, 1, 1);
        }
        home.run(() -> account.limits(limits(FullPolicy.BLOCK, 200, 80)));
        assertThat(log).hasSize(200_000);
    }
}
