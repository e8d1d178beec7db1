package io.sluicemq.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.crash.Ledger.Found;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each thing that a broker may do wrong is found, and what it may do is not. */
class LedgerTest {

    private static final String QUEUE = "direct-0";
    private static final String OTHER = "direct-1";
    private static final long ONE = Body.id(1, 1);
    private static final long TWO = Body.id(1, 2);

    private final Findings findings = new Findings();
    private final Ledger ledger = new Ledger(findings);

    private Publication publish(long id, String... queues) {
        return ledger.publish(id, true, List.of(queues), null);
    }

    private void confirm(long id, String... queues) {
        ledger.confirm(List.of(publish(id, queues)));
    }

    private Copy deliver(long id) {
        return ledger.deliver(QUEUE, Body.of(id, 20), false);
    }

    /** Restarts so long after all that has happened that every ack that was read must have been kept. */
    private void restart(Found... inQueue) {
        restart(List.of(inQueue), List.of());
    }

    private void restart(List<Found> inQueue, List<Found> inOther) {
        audit(inQueue, inOther, System.nanoTime() + 2 * Ledger.SETTLED_AFTER_NANOS, false);
    }

    private void audit(List<Found> inQueue, List<Found> inOther, long endedAt, boolean inOrder) {
        Map<String, List<Found>> found = new HashMap<>();
        Queues.ALL.forEach(queue -> found.put(queue, List.of()));
        found.put(QUEUE, inQueue);
        found.put(OTHER, inOther);
        ledger.audit(found, endedAt, inOrder);
    }

    private static Found fresh(long id) {
        return new Found(id, false);
    }

    private static Found again(long id) {
        return new Found(id, true);
    }

    private void assertFault(String... parts) {
        assertThat(findings.faults()).singleElement().asString().contains(parts);
    }

    private void assertNoFault() {
        assertThat(findings.faults()).isEmpty();
    }

    @Test
    void shouldMissAConfirmedMessageInOneOfItsQueues() {
        confirm(ONE, QUEUE, OTHER);
        restart(fresh(ONE));
        assertFault("message 1/1 in direct-1 is lost, which was confirmed");
    }

    @Test
    void shouldMissAMessageThatWasThereAfterAnEarlierRestart() {
        publish(ONE, QUEUE);
        restart(fresh(ONE));
        assertNoFault();
        restart();
        assertFault("1/1", "lost, which was there after an earlier restart");
    }

    @Test
    void shouldLeaveOpenWhatWasNotConfirmed() {
        publish(ONE, QUEUE);
        publish(TWO, QUEUE);
        restart(fresh(TWO));
        assertNoFault();
        restart(again(ONE), again(TWO));
        assertFault("message 1/1 in direct-0, which was gone after restart 1 since it was not confirmed");
    }

    @Test
    void shouldLetTransientMessagesGo() {
        ledger.confirm(List.of(ledger.publish(ONE, false, List.of(QUEUE), null)));
        ledger.confirm(List.of(ledger.publish(TWO, false, List.of(QUEUE), null)));
        restart(fresh(ONE));
        restart();
        assertNoFault();
    }

    @Test
    void shouldNoticeAMessageThatNobodySentThere() {
        confirm(ONE, QUEUE);
        restart(List.of(fresh(ONE)), List.of(fresh(ONE)));
        assertFault("message 1/1 in direct-1, which was not sent there");
    }

    @Test
    void shouldNoticeAMessageThatIsThereTwice() {
        confirm(ONE, QUEUE);
        restart(fresh(ONE), fresh(ONE));
        assertFault("1/1", "twice");
    }

    @Test
    void shouldNoticeMessagesOutOfOrder() {
        confirm(ONE, QUEUE);
        confirm(TWO, QUEUE);
        restart(fresh(TWO), fresh(ONE));
        assertFault("message 1/1 in direct-0 is behind message 2 of the same producer");
    }

    @Test
    void shouldNoticeASettledMessageThatIsBack() {
        confirm(ONE, QUEUE);
        Settlement settlement = new Settlement(null);
        ledger.settle(List.of(deliver(ONE)), settlement);
        ledger.read(settlement);
        restart(again(ONE));
        assertFault("1/1", "is back, whose ack the broker had read");
    }

    @Test
    void shouldAllowADuplicateShortlyAfterItsAck() {
        confirm(ONE, QUEUE);
        Settlement settlement = new Settlement(null);
        ledger.settle(List.of(deliver(ONE)), settlement);
        ledger.read(settlement);
        audit(List.of(again(ONE)), List.of(), System.nanoTime(), false);
        assertNoFault();
        assertThat(findings.counts()).containsEntry("duplicates: acked shortly before the end, and back", 1L);
    }

    @Test
    void shouldNotAllowThatAfterAnOrderlyStop() {
        confirm(ONE, QUEUE);
        Settlement settlement = new Settlement(null);
        ledger.settle(List.of(deliver(ONE)), settlement);
        ledger.read(settlement);
        audit(List.of(again(ONE)), List.of(), System.nanoTime(), true);
        assertFault("1/1", "is back");
    }

    @Test
    void shouldAllowADuplicateOfTheLastMomentToBeUnmarked() {
        confirm(ONE, QUEUE);
        long boundary = System.nanoTime();
        ledger.settle(List.of(deliver(ONE)), new Settlement(null));
        audit(List.of(fresh(ONE)), List.of(), boundary, false);
        assertNoFault();
    }

    @Test
    void shouldWantWhatWasDeliveredToBeMarked() {
        confirm(ONE, QUEUE);
        deliver(ONE);
        restart(fresh(ONE));
        assertFault("1/1", "was delivered before, and comes without a sign");
    }

    @Test
    void shouldNotLetAMessageComeBackLater() {
        confirm(ONE, QUEUE);
        ledger.settle(List.of(deliver(ONE)), new Settlement(null));
        restart();
        assertNoFault();
        restart(again(ONE));
        assertFault("1/1", "which was gone after restart 1 since it was acked");
    }

    @Test
    void shouldNoticeADeliveryOfWhatWasSettled() {
        confirm(ONE, QUEUE);
        ledger.settle(List.of(deliver(ONE)), new Settlement(null));
        assertThat(ledger.deliver(QUEUE, Body.of(ONE, 20), true)).isNull();
        assertFault("delivered: message 1/1 in direct-0, which was settled in this life");
    }

    @Test
    void shouldAllowThatWhileTheBrokerStops() {
        confirm(ONE, QUEUE);
        Copy copy = deliver(ONE);
        ledger.settle(List.of(copy), new Settlement(null));
        ledger.stopping();
        assertThat(ledger.deliver(QUEUE, Body.of(ONE, 20), true)).isSameAs(copy);
        assertNoFault();
        restart();
        ledger.deliver(QUEUE, Body.of(ONE, 20), true);
        assertFault("1/1", "which was gone after restart 1 since it was acked");
    }

    @Test
    void shouldNoticeADamagedBody() {
        confirm(ONE, QUEUE);
        byte[] body = Body.of(ONE, 20);
        body[15] ^= 1;
        assertThat(ledger.deliver(QUEUE, body, false)).isNull();
        assertFault("delivered: a body in direct-0 of 20 bytes that nobody has sent");
    }

    @Test
    void shouldWantCommittedMessages() {
        Transaction transaction = new Transaction();
        ledger.publish(ONE, true, List.of(QUEUE), transaction);
        ledger.committing(transaction);
        ledger.committed(transaction);
        restart();
        assertFault("1/1", "lost, which was committed");
    }

    @Test
    void shouldNoticeTracesOfATransactionThatWasNotCommitted() {
        ledger.publish(ONE, true, List.of(QUEUE), new Transaction());
        restart(fresh(ONE));
        assertFault("1/1", "of a transaction that was not committed");
    }

    @Test
    void shouldNoticeHalfATransaction() {
        Transaction transaction = new Transaction();
        ledger.publish(ONE, true, List.of(QUEUE), transaction);
        ledger.publish(TWO, true, List.of(OTHER), transaction);
        ledger.committing(transaction);
        restart(fresh(ONE));
        assertFault("half of a transaction", "1/1 in direct-0 was published", "1/2 in direct-1 was not published");
    }

    @Test
    void shouldNoticeAnAckWithoutThePublishOfItsTransaction() {
        confirm(ONE, QUEUE);
        Transaction transaction = new Transaction();
        ledger.settle(List.of(deliver(ONE)), new Settlement(transaction));
        ledger.publish(TWO, true, List.of(OTHER), transaction);
        ledger.committing(transaction);
        restart();
        assertFault("half of a transaction", "1/1 in direct-0 was acked", "1/2 in direct-1 was not published");
    }

    @Test
    void shouldAllowAnUnansweredCommitBothWays() {
        confirm(ONE, QUEUE);
        Transaction transaction = new Transaction();
        ledger.settle(List.of(deliver(ONE)), new Settlement(transaction));
        ledger.publish(TWO, true, List.of(OTHER), transaction);
        ledger.committing(transaction);
        restart(List.of(), List.of(fresh(TWO)));

        confirm(Body.id(2, 1), QUEUE);
        Transaction second = new Transaction();
        ledger.settle(List.of(deliver(Body.id(2, 1))), new Settlement(second));
        ledger.committing(second);
        restart(List.of(again(Body.id(2, 1))), List.of(again(TWO)));
        assertNoFault();
        assertThat(findings.counts()).containsEntry("unanswered commits that were kept", 1L)
                .containsEntry("unanswered commits that left no trace", 1L);
    }

    @Test
    void shouldNoticeACommittedAckThatIsUndone() {
        confirm(ONE, QUEUE);
        Transaction transaction = new Transaction();
        ledger.settle(List.of(deliver(ONE)), new Settlement(transaction));
        ledger.committing(transaction);
        ledger.committed(transaction);
        audit(List.of(again(ONE)), List.of(), System.nanoTime(), false);
        assertFault("1/1", "is back, whose ack was committed");
    }

    @Test
    void shouldMissAMessageWhoseAckWasNotCommitted() {
        confirm(ONE, QUEUE);
        confirm(TWO, QUEUE);
        ledger.settle(List.of(deliver(ONE)), new Settlement(new Transaction()));
        Copy copy = deliver(TWO);
        Transaction rolledBack = new Transaction();
        ledger.settle(List.of(copy), new Settlement(rolledBack));
        ledger.rollingBack(rolledBack, List.of(copy));
        restart();
        assertThat(findings.faults()).hasSize(2)
                .anySatisfy(fault -> assertThat(fault).contains("1/1", "lost", "not committed"))
                .anySatisfy(fault -> assertThat(fault).contains("1/2", "lost, which was confirmed"));
    }
}
