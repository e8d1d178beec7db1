package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.protocol.amqp10.codec.Frames;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction with outcomes of deliveries that are taken from their receiver, whose link is cut: it can't be committed (1.0 §4.3). */
class CutTransactionTest {

    private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

    private final Lab lab = new Lab(new AddressSettings(List.of(new AddressSettings.Rule(
            "slow",
            new ConsumerRule(
                    ConsumerRule.NONE, 3, ConsumerRule.NONE, ConsumerRule.NONE, PERIOD, ConsumerPolicy.DELETE, false,
                    Cut.CHANNEL)))));
    private final Peer peer = Peer.connected(lab, 1);
    private final Controller controller = new Controller(peer);

    private void publish(String address, int count) {
        Peer sender = Peer.connected(lab);
        sender.attachSender(0, address);
        for (int i = 0; i < count; i++) {
            sender.send(Peer.send(0, i, "m" + i));
        }
        sender.cutSocket();
    }

    private long ready() {
        return lab.counters().readyMessages();
    }

    private long unsettled() {
        return lab.counters().unsettledMessages();
    }

    /** A link 1 with all five messages of the queue. */
    private void receiveFive() {
        publish("slow", 5);
        peer.attachReceiver(1, "slow");
        peer.send(Peer.credit(1, 0, 5));
        for (int i = 0; i < 5; i++) {
            peer.receive(1, i);
        }
    }

    private void beCut() {
        lab.loops.advance(3 * PERIOD);
        peer.expectDetach(AmqpError.RESOURCE_LIMIT_EXCEEDED);
    }

    private static void shouldBeRolledBack(DeliveryState answer) {
        assertThat(answer).isInstanceOfSatisfying(Rejected.class, rejected -> {
            assertThat(rejected.getError().getCondition()).isEqualTo(TransactionErrors.TRANSACTION_ROLLBACK);
            assertThat(rejected.getError().getDescription()).contains("Consuming too slow.");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRollBackWhatHoldsDeliveriesOfALinkThatIsCut(boolean settled) {
        controller.attach();
        Binary transaction = controller.declare();
        receiveFive();
        peer.send(Controller.accept(transaction, 0, 0, settled));
        beCut();
        assertThat(ready()).as("at once, as others wait for it").isEqualTo(5);
        assertThat(unsettled()).isZero();
        shouldBeRolledBack(controller.discharge(transaction, false));
        assertThat(ready()).isEqualTo(5);
    }

    @Test
    void shouldRollBackWhatEndsDeliveriesThatAreTakenBackMeanwhile() {
        controller.attach();
        Binary transaction = controller.declare();
        receiveFive();
        beCut();
        peer.send(new Detach().setHandle(1).setClosed(true));
        peer.send(Controller.accept(transaction, 3, 3, true));
        shouldBeRolledBack(controller.discharge(transaction, false));
        assertThat(ready()).isEqualTo(5);
    }

    /** The detach is written, and the queue does not know yet. */
    @Test
    void shouldRollBackWhatEndsADeliveryThatIsBeingTakenBack() {
        controller.attach();
        Binary transaction = controller.declare();
        receiveFive();
        boolean detached = false;
        for (int i = 0; i < 100 && !detached; i++) {
            lab.loops.passTime(PERIOD / 10);
            lab.loops.get(0).runTurn();
            lab.loops.get(1).runTurn();
            detached = Frames.read(peer.wire.writtenBytes()).stream()
                    .anyMatch(frame -> frame.performative() instanceof Detach);
        }
        assertThat(detached).isTrue();
        peer.send(Controller.accept(transaction, 0, 4, true));
        shouldBeRolledBack(controller.discharge(transaction, false));
        assertThat(ready()).isEqualTo(5);
        assertThat(unsettled()).isZero();
    }

    @Test
    void shouldUndoAllOfIt() {
        controller.attach();
        Binary transaction = controller.declare();
        publish("other", 1);
        receiveFive();
        peer.attachReceiver(2, "other");
        peer.send(Peer.credit(2, 0, 1));
        peer.receive(2, 5);
        peer.attachSender(3, "to");
        peer.send(Frames.frame(
                0,
                Peer.transfer(3, controller.takeId()).setSettled(true)
                        .setState(new TransactionalState().setTxnId(transaction)),
                Peer.message("new")));
        peer.send(Controller.accept(transaction, 5, 5, true));
        peer.send(Controller.accept(transaction, 0, 0, true));
        beCut();
        assertThat(unsettled()).as("the other link's").isEqualTo(1);
        shouldBeRolledBack(controller.discharge(transaction, false));
        assertThat(ready()).isEqualTo(6);
        assertThat(unsettled()).isZero();
    }

    @Test
    void shouldLeaveOtherTransactionsAlone() {
        controller.attach();
        Binary doomed = controller.declare();
        Binary before = controller.declare();
        Binary after = controller.declare();
        publish("other", 2);
        receiveFive();
        peer.attachReceiver(2, "other");
        peer.send(Peer.credit(2, 0, 2));
        peer.receive(2, 5);
        peer.receive(2, 6);
        peer.send(Controller.accept(before, 5, 5, true));
        peer.send(Controller.accept(doomed, 1, 1, true));
        beCut();
        peer.send(Controller.accept(after, 6, 6, true));
        assertThat(controller.discharge(before, false)).isInstanceOf(Accepted.class);
        assertThat(controller.discharge(after, false)).isInstanceOf(Accepted.class);
        shouldBeRolledBack(controller.discharge(doomed, false));
        assertThat(ready()).isEqualTo(5);
        assertThat(unsettled()).isZero();
    }

    @Test
    void shouldRollBackAsAskedWhatIsDoomed() {
        controller.attach();
        Binary transaction = controller.declare();
        receiveFive();
        peer.send(Controller.accept(transaction, 0, 1, true));
        beCut();
        assertThat(controller.discharge(transaction, true)).isInstanceOf(Accepted.class);
        assertThat(ready()).isEqualTo(5);
    }

    /** What is over when the link is cut is over: it holds nothing of it any more. */
    @Test
    void shouldCountNothingTwiceThatWasCommittedBefore() {
        controller.attach();
        Binary first = controller.declare();
        Binary second = controller.declare();
        receiveFive();
        peer.send(Controller.accept(first, 0, 0, true));
        assertThat(controller.discharge(first, false)).isInstanceOf(Accepted.class);
        beCut();
        assertThat(ready()).isEqualTo(4);
        peer.send(Controller.accept(second, 0, 0, true)); // the client has settled it, and is wrong
        assertThat(controller.discharge(second, false)).isInstanceOf(Accepted.class);
        assertThat(ready()).isEqualTo(4);
    }

    /** It takes amqp:transaction:rollback for doubt, and any other condition for what that says. */
    @Test
    void shouldTellQpidJmsTheReasonItself() {
        Peer jms = Peer.opened(
                lab, 1, Lab.OPTIONS,
                Peer.open().setContainerId("jms").setProperties(Map.of(Symbol.valueOf("product"), "QpidJMS")));
        jms.begin(0);
        Controller ofJms = new Controller(jms);
        ofJms.attach();
        Binary transaction = ofJms.declare();
        publish("slow", 5);
        jms.attachReceiver(1, "slow");
        jms.send(Peer.credit(1, 0, 1));
        jms.receive(1, 0);
        jms.send(Controller.accept(transaction, 0, 0, true));
        lab.loops.advance(3 * PERIOD);
        jms.expectDetach(AmqpError.RESOURCE_LIMIT_EXCEEDED);
        assertThat(ofJms.discharge(transaction, false)).isInstanceOfSatisfying(Rejected.class, rejected -> {
            assertThat(rejected.getError().getCondition()).isEqualTo(AmqpError.RESOURCE_LIMIT_EXCEEDED);
            assertThat(rejected.getError().getDescription()).startsWith("Consuming too slow.");
        });
    }
}
