package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.protocol.amqp10.codec.Frames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SessionError;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Local transactions (1.0 §4), as a client sees them that does not wait for one answer before it sends the next frame. */
class TransactionTest {

    private final Lab lab = new Lab();
    /** Not on the loop that makes queues: what it asks for takes a while. */
    private final Peer peer = Peer.connected(lab, 1);
    private final Controller controller = new Controller(peer);

    private Binary declare() {
        controller.attach();
        return controller.declare();
    }

    private byte[] discharge(Binary transaction, boolean fail) {
        return controller.frame(new Discharge().setTxnId(transaction).setFail(fail));
    }

    private void attachRelay() {
        peer.send(Peer.sender(0, "relay", null).setTarget(new Target()));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
    }

    private Transfer transfer(Binary transaction) {
        return transfer(controller, transaction);
    }

    private static Transfer transfer(Controller by, Binary transaction) {
        Transfer transfer = Peer.transfer(0, by.takeId());
        return transaction == null ? transfer : transfer.setState(new TransactionalState().setTxnId(transaction));
    }

    private static byte[] message(String to) {
        return Frames.join(
                Frames.encode(new Properties().setTo(to)),
                Frames.encode(new Data("x".getBytes(StandardCharsets.US_ASCII))));
    }

    private long ready() {
        return lab.counters().readyMessages();
    }

    private long unsettled() {
        return lab.counters().unsettledMessages();
    }

    /** Where a message's queue has to be made first, its discharge may come before that is done. */
    @Test
    void shouldCommitMessagesWhoseAddressesAreBeingLookedUp() {
        Binary transaction = declare();
        attachRelay();
        for (int i = 0; i < 8; i++) {
            peer.wire.arrive(Frames.frame(0, transfer(transaction), message("fresh " + i)));
        }
        peer.send(discharge(transaction, false));
        assertThat(peer.frames())
                .filteredOn(frame -> frame.performative() instanceof Disposition outcome
                        && outcome.getState() instanceof Accepted)
                .hasSize(1);
        assertThat(ready()).isEqualTo(8);
    }

    @Test
    void shouldNotPublishWhatIsRolledBackBeforeItsAddressIsFound() {
        Binary transaction = declare();
        attachRelay();
        for (int i = 0; i < 8; i++) {
            peer.wire.arrive(Frames.frame(0, transfer(transaction), message("fresh " + i)));
        }
        peer.send(discharge(transaction, true));
        assertThat(peer.frames()).isNotEmpty();
        assertThat(ready()).isZero();
    }

    // ---- what is refused

    private void shouldBeRolledBack(Binary transaction, Symbol reason) {
        DeliveryState answer = controller.discharge(transaction, false);
        assertThat(answer).isInstanceOfSatisfying(Rejected.class, rejected -> {
            assertThat(rejected.getError().getCondition()).isEqualTo(TransactionErrors.TRANSACTION_ROLLBACK);
            assertThat(rejected.getError().getDescription()).startsWith(reason + ": a message of it is refused: ");
        });
        assertThat(ready()).isZero();
    }

    /** Clients need not look at outcomes before they commit, and of what was sent settled there is none. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotCommitWithoutAMessageThatIsRefused(boolean settled) {
        Binary transaction = declare();
        attachRelay();
        peer.send(
                Frames.frame(0, transfer(transaction).setSettled(true), message("fresh")),
                Frames.frame(0, transfer(transaction).setSettled(settled), message("/exchanges/missing/key")));
        if (!settled) {
            shouldHaveOutcome(transaction, Rejected.class);
        }
        shouldBeRolledBack(transaction, AmqpError.NOT_FOUND);
    }

    /** The outcome that it would have at the discharge is told as the transaction's (§4.4.1). */
    private void shouldHaveOutcome(Binary transaction, Class<? extends Outcome> outcome) {
        Disposition answer = peer.expect(Disposition.class);
        assertThat(answer.getSettled()).isTrue();
        assertThat(answer.getState()).isInstanceOfSatisfying(TransactionalState.class, state -> {
            assertThat(state.getTxnId()).isEqualTo(transaction);
            assertThat(state.getOutcome()).isInstanceOf(outcome);
        });
    }

    @Test
    void shouldRollBackAsIsAskedForWhatCouldNotBeCommitted() {
        Binary transaction = declare();
        attachRelay();
        peer.send(Frames.frame(0, transfer(transaction), message("/exchanges/missing/key")));
        shouldHaveOutcome(transaction, Rejected.class);
        assertThat(controller.discharge(transaction, true)).isInstanceOf(Accepted.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotCommitWithoutAMessageThatNoQueueGets(boolean settled) {
        Binary transaction = declare();
        peer.attachSender(0, "/exchanges/amq.fanout");
        peer.send(Frames.frame(0, transfer(transaction).setSettled(settled), Peer.message("m")));
        if (!settled) {
            shouldHaveOutcome(transaction, Released.class);
        }
        shouldBeRolledBack(transaction, AmqpError.NOT_FOUND);
    }

    /** What makes its link end has no outcome. */
    @Test
    void shouldNotCommitWithoutAMessageThatEndsItsLink() {
        Binary transaction = declare();
        peer.attachSender(0, "q");
        Transfer first = transfer(transaction);
        peer.send(
                Frames.frame(0, first, Peer.message("first")),
                Frames.frame(0, transfer(transaction).setDeliveryTag(new byte[33]), Peer.message("second")));
        shouldHaveOutcome(transaction, Accepted.class);
        peer.expectDetach(AmqpError.INVALID_FIELD);
        shouldBeRolledBack(transaction, AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldNotCommitWithoutWhatHasComeInPart() {
        Binary transaction = declare();
        peer.attachSender(0, "q");
        peer.send(
                Frames.frame(0, transfer(transaction).setMore(true), new byte[10]),
                Frames.frame(0, new Transfer().setHandle(0).setMessageFormat(7), new byte[10]));
        peer.expectDetach(AmqpError.INVALID_FIELD);
        shouldBeRolledBack(transaction, AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldNotCommitWithoutWhatWasBegunOnALinkThatAnotherTakesTheNameOf() {
        Binary transaction = declare();
        peer.send(Peer.sender(0, "same", "q"));
        peer.frames();
        peer.send(Frames.frame(0, transfer(transaction).setMore(true), new byte[10]));
        peer.send(Peer.sender(1, "same", "q"));
        peer.frames();
        shouldBeRolledBack(transaction, LinkError.DETACH_FORCED);
    }

    /** What was on its way when its link was detached belongs to its transaction as well. */
    @Test
    void shouldNotCommitWithoutWhatComesForALinkThatWasDetached() {
        Binary before = declare();
        Binary transaction = controller.declare();
        peer.attachSender(0, "q");
        peer.send(
                Frames.frame(0, transfer(before).setDeliveryTag(new byte[33]), Peer.message("first")),
                Frames.frame(0, transfer(transaction), Peer.message("second")));
        peer.expectDetach(AmqpError.INVALID_FIELD);
        shouldBeRolledBack(transaction, LinkError.DETACH_FORCED);
    }

    @Test
    void shouldNotCommitWithoutWhatComesForASessionThatWasEnded() {
        Binary transaction = declare();
        Binary other = controller.declare();
        peer.begin(1);
        peer.send(
                Frames.frame(1, Peer.transfer(5, 0).setState(new TransactionalState().setTxnId(transaction)),
                        message("q")),
                Frames.frame(1, Peer.transfer(5, 1).setState(new TransactionalState().setTxnId(other)), message("q")));
        assertThat(peer.expect(1, End.class).getError().getCondition()).isEqualTo(SessionError.UNATTACHED_HANDLE);
        shouldBeRolledBack(transaction, SessionError.UNATTACHED_HANDLE);
        shouldBeRolledBack(other, LinkError.DETACH_FORCED);
    }

    /** Its sender knows what has not come. */
    @Test
    void shouldCommitWithoutWhatTheSenderHasLeftIncomplete() {
        Binary transaction = declare();
        peer.attachSender(0, "q");
        peer.send(
                Frames.frame(0, transfer(transaction).setMore(true), new byte[10]),
                Frames.frame(0, new Transfer().setHandle(0).setAborted(true)),
                Frames.frame(0, transfer(transaction).setMore(true), new byte[10]));
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expect(Detach.class);
        assertThat(controller.discharge(transaction, false)).isInstanceOf(Accepted.class);
    }

    @Test
    void shouldCommitWhatIsDeclaredAfterwards() {
        Binary transaction = declare();
        attachRelay();
        peer.send(Frames.frame(0, transfer(transaction).setSettled(true), message("/exchanges/missing/key")));
        shouldBeRolledBack(transaction, AmqpError.NOT_FOUND);
        Binary next = controller.declare();
        peer.send(Frames.frame(0, transfer(next).setSettled(true), message("fresh")));
        assertThat(controller.discharge(next, false)).isInstanceOf(Accepted.class);
        assertThat(ready()).isEqualTo(1);
    }

    @Test
    void shouldPublishWhatWasSentSettledBeforeItsLinkWasDetached() {
        attachRelay();
        for (int i = 0; i < 8; i++) {
            peer.wire.arrive(Frames.frame(0, transfer(null).setSettled(true), message("fresh " + i)));
        }
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expect(Detach.class);
        assertThat(ready()).isEqualTo(8);
    }

    private void receiveOne() {
        peer.attachSender(1, "q");
        peer.send(Peer.send(1, controller.takeId(), "a"));
        peer.frames();
        peer.attachReceiver(2, "q");
        peer.send(Peer.credit(2, 0, 1));
        peer.receive(2, 0);
    }

    private static Disposition outcome(Binary transaction, boolean settled) {
        return Controller.accept(transaction, 0, 0, settled);
    }

    /** A delivery that its receiver has settled is not left to it when its transaction fails. */
    @Test
    void shouldGiveBackWhatTheReceiverSettledWhileItsOutcomeWasOpen() {
        Binary transaction = declare();
        receiveOne();
        peer.send(outcome(transaction, false));
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, Accepted.getInstance()));
        peer.send(discharge(transaction, true));
        assertThat(ready()).isEqualTo(1);
        assertThat(unsettled()).isZero();
    }

    /** Its link has been ended from here, and the delivery is another's: it would be dealt with twice. */
    @Test
    void shouldNotCommitAnOutcomeOfWhatWasTakenBack() {
        Binary transaction = declare();
        receiveOne();
        peer.send(outcome(new Binary(new byte[] {9}), false));
        peer.expectDetach(TransactionErrors.UNKNOWN_ID);
        assertThat(ready()).isEqualTo(1);
        peer.send(outcome(transaction, false));
        assertThat(controller.discharge(transaction, false)).isInstanceOfSatisfying(
                Rejected.class,
                rejected -> assertThat(rejected.getError().getDescription())
                        .startsWith(LinkError.DETACH_FORCED + ": the link of a delivery"));
        assertThat(ready()).isEqualTo(1);
    }

    @Test
    void shouldEndWhatIsSettledInATransactionWithoutAnOutcome() {
        Binary transaction = declare();
        receiveOne();
        Disposition settled = outcome(transaction, true);
        settled.setState(new TransactionalState().setTxnId(transaction));
        peer.send(settled);
        peer.send(discharge(transaction, false));
        assertThat(ready()).isEqualTo(1);
        assertThat(unsettled()).isZero();
    }

    // ---- how many

    /** A commit waits as long as its address is full; however many wait, there is an end to them. */
    @Test
    void shouldBoundTheTransactionsWhoseCommitsWait() {
        Lab full = new Lab(new AddressSettings(List.of(new AddressSettings.Rule(
                "full", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
        Peer client = Peer.connected(full);
        Controller ofClient = new Controller(client);
        ofClient.attach();
        client.send(Peer.sender(0, "relay", null).setTarget(new Target()));
        client.send(Frames.frame(0, Peer.transfer(0, ofClient.takeId()).setSettled(true), message("full")));
        client.frames();
        int waiting = 0;
        for (int i = 0; i < 2 * Transactions.MOST; i++) {
            client.send(ofClient.frame(new Declare()));
            DeliveryState answer = client.frames().stream()
                    .filter(frame -> frame.performative() instanceof Disposition)
                    .map(frame -> ((Disposition) frame.performative()).getState())
                    .reduce((first, second) -> second)
                    .orElseThrow();
            if (answer instanceof Rejected rejected) {
                assertThat(rejected.getError().getCondition()).isEqualTo(AmqpError.RESOURCE_LIMIT_EXCEEDED);
                break;
            }
            Binary id = ((Declared) answer).getTxnId();
            client.send(Frames.frame(0, transfer(ofClient, id).setSettled(true), message("full")));
            client.send(ofClient.frame(new Discharge().setTxnId(id)));
            waiting++;
        }
        assertThat(waiting).isEqualTo(Transactions.MOST);
        client.expectNothing();
    }

    /** What a transaction remembers of outcomes counts as what the broker holds of messages. */
    @Test
    void shouldCountTheOutcomesThatATransactionHolds() {
        Binary transaction = declare();
        receiveOne();
        long before = lab.counters().messageBytes();
        peer.send(outcome(transaction, true));
        assertThat(lab.counters().messageBytes()).isGreaterThan(before);
        peer.send(discharge(transaction, true));
        assertThat(lab.counters().messageBytes()).isEqualTo(before);
    }

    @Test
    void shouldNotCountTheOutcomesOfATransactionThatIsCommitted() {
        Binary transaction = declare();
        receiveOne();
        peer.send(outcome(transaction, true));
        peer.send(discharge(transaction, false));
        assertThat(lab.counters().messageBytes()).isZero();
    }
}
