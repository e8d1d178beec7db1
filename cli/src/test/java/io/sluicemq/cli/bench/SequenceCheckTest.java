package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SequenceCheckTest {

    private static SequenceCheck observing(boolean onlyConsumer, long... sequences) {
        SequenceCheck check = new SequenceCheck(2, onlyConsumer);
        for (long sequence : sequences) {
            check.observe(1, sequence);
        }
        return check;
    }

    @Test
    void shouldBeContentWithAllInOrder() {
        SequenceCheck check = observing(true, 0, 1, 2, 3);

        assertThat(check.missing()).isZero();
        assertThat(check.late()).isZero();
    }

    @Test
    void shouldCountWhatIsMissingAtTheBeginningAndInBetween() {
        assertThat(observing(true, 2, 3, 7).missing()).isEqualTo(5);
    }

    @Test
    void shouldCountARepeatedAndAnOutOfOrderMessage() {
        assertThat(observing(true, 0, 0).late()).isEqualTo(1);
        assertThat(observing(true, 0, 2, 1).late()).isEqualTo(1);
        assertThat(observing(false, 5, 4).late()).isEqualTo(1);
    }

    @Test
    void shouldNotMissWhatAnotherConsumerOfTheQueueHas() {
        SequenceCheck check = observing(false, 1, 3, 9);

        assertThat(check.missing()).isZero();
        assertThat(check.late()).isZero();
    }

    @Test
    void shouldKeepProducersApart() {
        SequenceCheck check = new SequenceCheck(2, true);
        check.observe(0, 0);
        check.observe(1, 0);
        check.observe(0, 1);
        check.observe(1, 1);

        assertThat(check.missing()).isZero();
        assertThat(check.late()).isZero();
    }
}
