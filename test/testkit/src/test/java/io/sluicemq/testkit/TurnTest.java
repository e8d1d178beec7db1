package io.sluicemq.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What {@link io.sluicemq.base.Loop} promises of ownership, turns and batches. */
class TurnTest {

    private final ManualLoops loops = new ManualLoops(3);
    private final ManualLoop sender = loops.get(0);
    private final ManualLoop target = loops.get(1);
    private final ManualLoop other = loops.get(2);
    private final List<Object> log = new ArrayList<>();

    @Test
    void shouldAssertItsOwner() {
        assertThatThrownBy(sender::assertCurrent)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("loop 0 owns this");
        assertThatThrownBy(() -> target.run(sender::assertCurrent)).isInstanceOf(IllegalStateException.class);
        sender.run(sender::assertCurrent);
    }

    @Test
    void shouldRefuseToCollectForALoopThatIsNotCurrent() {
        assertThatThrownBy(() -> sender.send(target, () -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sender.atTurnEnd(() -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sender.schedule(1, () -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldHandABurstOverAsOneBatchWithOneWakeUp() {
        sender.execute(() -> IntStream.range(0, 200).forEach(i -> sender.send(target, () -> log.add(i))));
        sender.runTurn();

        assertThat(log).isEmpty();
        assertThat(target.executeCalls()).isOne();
        target.runTurn();
        assertThat(log).isEqualTo(IntStream.range(0, 200).boxed().toList());
        assertThat(target.isReady()).isFalse();
    }

    @Test
    void shouldMakeOneBatchForEachTarget() {
        sender.run(() -> {
            for (int i = 0; i < 10; i++) {
                sender.send(target, () -> log.add("target"));
                sender.send(other, () -> log.add("other"));
            }
        });

        assertThat(target.executeCalls()).isOne();
        assertThat(other.executeCalls()).isOne();
        loops.runAll();
        assertThat(log).hasSize(20);
    }

    @Test
    void shouldRunWhatIsSentToItselfAtOnce() {
        sender.run(() -> {
            sender.send(sender, () -> log.add("sent"));
            log.add("after");
        });
        assertThat(log).containsExactly("sent", "after");
        assertThat(sender.executeCalls()).isZero();
    }

    @Test
    void shouldRunTheRestOfABatchWhenAnItemThrows() {
        loops.expectFailures(1);
        sender.run(() -> {
            sender.send(target, () -> log.add("before"));
            sender.send(target, () -> {
                throw new IllegalArgumentException("the defect");
            });
            sender.send(target, () -> log.add("after"));
        });
        runAllWithOneTrace();

        assertThat(log).containsExactly("before", "after");
        assertThat(loops.failures().count()).isOne();
        assertThat(loops.failures().last()).hasMessage("the defect");
    }

    private void runAllWithOneTrace() {
        try (var quiet = new LogCapture()) {
            loops.runAll();
            assertThat(quiet.withTrace()).hasSize(1);
        }
    }

    @Test
    void shouldRunTheOtherHooksAndSendTheBatchesWhenAHookThrows() {
        loops.expectFailures(1);
        sender.execute(() -> {
            sender.atTurnEnd(() -> {
                throw new IllegalArgumentException("the defect");
            });
            sender.atTurnEnd(() -> log.add("hook"));
            sender.send(target, () -> log.add("item"));
        });
        runAllWithOneTrace();

        assertThat(log).containsExactly("hook", "item");
        assertThat(loops.failures().count()).isOne();
    }

    @Test
    void shouldRunHooksOnceATurnAndBeforeBatchesLeave() {
        sender.run(() -> {
            sender.send(target, () -> log.add("item"));
            sender.atTurnEnd(() -> {
                log.add("hook");
                assertThat(target.isReady()).as("the batch has left").isFalse();
                sender.send(target, () -> log.add("item of the hook"));
            });
        });
        assertThat(target.executeCalls()).isOne();
        loops.runAll();

        sender.run(() -> {});
        loops.runAll();
        assertThat(log).containsExactly("hook", "item", "item of the hook");
    }

    @Test
    void shouldRunAHookAddedDuringTheEndInTheNextTurn() {
        sender.run(() -> sender.atTurnEnd(() -> {
            log.add("hook");
            sender.atTurnEnd(() -> log.add("hook of the hook"));
        }));
        assertThat(log).containsExactly("hook");

        sender.runTurn();
        assertThat(log).containsExactly("hook", "hook of the hook");
        assertThat(sender.isReady()).isFalse();
    }

    @Property
    void shouldKeepTheOrderOfEachSender(@ForAll List<@IntRange(max = 5) Integer> turnsOfItems) {
        var own = new ManualLoops(3);
        var received = new ArrayList<Integer>();
        var sent = new ArrayList<Integer>();
        for (int items : turnsOfItems) {
            own.get(0).run(() -> {
                for (int i = 0; i < items; i++) {
                    int number = sent.size();
                    sent.add(number);
                    own.get(0).send(own.get(1), () -> received.add(number));
                }
            });
        }
        own.runAll();
        assertThat(received).isEqualTo(sent);
        assertThat(own.get(1).executeCalls())
                .isEqualTo(turnsOfItems.stream().filter(n -> n > 0).count());
    }
}
