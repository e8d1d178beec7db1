package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.Return;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Publishes and acknowledgements that wait for a commit. */
@ExtendWith(LabExtension.class)
class TransactionsTest {

    @Test
    @Spec({"0-9-1 tx.select", "0-9-1 tx.select-ok", "0-9-1 tx.commit", "0-9-1 tx.commit-ok"})
    void shouldPublishAtCommit(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        channel.txSelect();
        for (String number : numbers(1, 3)) {
            channel.basicPublish("", queue, null, bytes(number));
        }
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(lab.depth(queue)).isZero();
        channel.txCommit();
        assertThat(lab.drain(queue)).containsExactly("1", "2", "3");
        channel.txCommit();
        channel.basicPublish("", queue, null, bytes("4"));
        channel.txCommit();
        assertThat(lab.drain(queue)).containsExactly("4");
    }

    @Test
    @Spec({"0-9-1 tx.rollback", "0-9-1 tx.rollback-ok"})
    void shouldForgetPublishesAtRollback(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        channel.txSelect();
        channel.basicPublish("", queue, null, bytes("1"));
        channel.txRollback();
        channel.basicPublish("", queue, null, bytes("2"));
        channel.txCommit();
        assertThat(lab.drain(queue)).containsExactly("2");
    }

    @Test
    @Spec("0-9-1 tx.select")
    void shouldForgetPublishesWhenTheChannelEnds(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel closed = lab.channel();
        closed.txSelect();
        closed.basicPublish("", queue, null, bytes("1"));
        closed.close();
        Connection connection = lab.connect();
        Channel cut = connection.createChannel();
        cut.txSelect();
        cut.basicPublish("", queue, null, bytes("2"));
        cut.exchangeDeclarePassive("amq.direct");
        lab.cut(connection);
        lab.send(queue, "3");
        assertThat(lab.drain(queue)).containsExactly("3");
    }

    @Test
    @Spec("0-9-1 tx.commit acknowledgements")
    void shouldAcknowledgeAtCommit(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 3);
        Channel channel = lab.channel();
        channel.txSelect();
        for (int i = 0; i < 3; i++) {
            channel.basicGet(queue, false);
        }
        channel.basicAck(1, false);
        channel.txCommit();
        channel.basicAck(3, true);
        channel.close();
        assertThat(lab.drain(queue)).as("the second acknowledgement was never committed").containsExactly("2", "3");
    }

    @Test
    @Spec("0-9-1 tx.rollback acknowledgements")
    void shouldHoldDeliveriesWhoseAcknowledgementIsRolledBack(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 2);
        Channel channel = lab.channel();
        channel.txSelect();
        channel.basicQos(2);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        mailbox.next(2);
        channel.basicAck(1, false);
        channel.basicNack(2, false, false);
        channel.txRollback();
        // as RabbitMQ documents: not redelivered by the rollback, and to be acknowledged again
        mailbox.shouldBeEmpty();
        channel.basicAck(2, true);
        channel.txCommit();
        channel.close();
        assertThat(lab.drain(queue)).isEmpty();
    }

    @Test
    @Spec("0-9-1 tx.commit acknowledgements")
    void shouldRejectAndRequeueAtCommit(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 3);
        Channel channel = lab.channel();
        channel.txSelect();
        for (int i = 0; i < 3; i++) {
            channel.basicGet(queue, false);
        }
        channel.basicReject(1, true);
        channel.basicNack(2, false, false);
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(lab.depth(queue)).isZero();
        channel.txCommit();
        GetResponse back = lab.take(queue).getFirst();
        assertThat(Lab.text(back)).isEqualTo("1");
        assertThat(back.getEnvelope().isRedeliver()).isTrue();
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("3");
    }

    @Test
    @Spec("0-9-1 tx.commit returns")
    void shouldReturnUnroutableMessagesBeforeCommitOk(Lab lab) throws Exception {
        Channel channel = lab.channel();
        BlockingQueue<Return> returns = new LinkedBlockingQueue<>();
        channel.addReturnListener(returns::add);
        channel.txSelect();
        channel.basicPublish("", lab.name("nowhere"), true, null, bytes("m"));
        channel.txCommit();
        assertThat(returns).hasSize(1);
    }

    @Test
    @Spec({"0-9-1 tx.commit not transactional", "0-9-1 tx.rollback not transactional"})
    void shouldRefuseCommitAndRollbackOutsideATransaction(Lab lab) throws Exception {
        Channel committing = lab.channel();
        Refusal.of(committing::txCommit)
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - channel is not transactional", "90.20"));
        Channel rolling = lab.channel();
        Refusal.of(rolling::txRollback)
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - channel is not transactional", "90.30"));
    }

    @Test
    @Spec({"RabbitMQ confirm.select", "0-9-1 tx.select"})
    void shouldRefuseConfirmsAndTransactionsTogether(Lab lab) throws Exception {
        Channel confirming = lab.channel();
        confirming.txSelect();
        Refusal.of(confirming::confirmSelect)
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode", "85.10"));
        Channel transacted = lab.channel();
        transacted.confirmSelect();
        Refusal.of(transacted::txSelect)
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - cannot switch from confirm to tx mode", "90.10"));
    }

    @Test
    @Spec("0-9-1 tx.commit")
    void shouldCommitPublishesAndAcknowledgementsTogether(Lab lab) throws Exception {
        String from = lab.queue();
        String to = lab.queue();
        lab.sendNumbers(from, 1, 200);
        Channel channel = lab.channel();
        channel.txSelect();
        for (int i = 1; i <= 200; i++) {
            GetResponse message = channel.basicGet(from, false);
            channel.basicPublish("", to, message.getProps(), message.getBody());
            channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
            if (i % 10 == 0) {
                channel.txCommit();
            }
        }
        channel.close();
        assertThat(lab.drain(from)).isEmpty();
        assertThat(lab.drain(to)).containsExactly(numbers(1, 200));
    }
}
