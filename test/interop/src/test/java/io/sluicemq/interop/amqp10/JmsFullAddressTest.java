package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Producers of Qpid JMS that send to a queue that is full: they wait, nobody else does, nothing is stored beyond the limit, and what
 * waits beside it is little.
 */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no limit that producers wait for")
class JmsFullAddressTest {

    private static final int LIMIT = 100;
    private static final int MESSAGES = 300;
    private static final int MESSAGES_BESIDE = 300;
    private static final int BODY_BYTES = 1_024;
    private static final String NUMBER = "n";

    /** Sends numbered messages with a thread of its own, which any other may watch. */
    private static final class Sending {

        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final Thread thread;

        private Sending(Session session, MessageProducer producer, int count, int bytes) {
            thread = Thread.ofPlatform().name("sending").start(() -> {
                try {
                    byte[] body = new byte[bytes];
                    for (int i = 0; i < count; i++) {
                        BytesMessage message = session.createBytesMessage();
                        message.writeBytes(body);
                        message.setIntProperty(NUMBER, i);
                        producer.send(message);
                        if (session.getTransacted() && i % 20 == 19) {
                            session.commit();
                        }
                        sent.incrementAndGet();
                    }
                } catch (JMSException e) {
                    failure.set(e);
                }
            });
        }

        static Sending start(Session session, Queue queue, int deliveryMode, int count, int bytes)
                throws JMSException {
            MessageProducer producer = session.createProducer(queue);
            producer.setDeliveryMode(deliveryMode);
            return new Sending(session, producer, count, bytes);
        }

        int sent() {
            return sent.get();
        }

        void shouldFinish() throws InterruptedException {
            thread.join(JmsClient.SOON);
            assertThat(failure.get()).isNull();
            assertThat(thread.isAlive()).as("still sending after %s", sent()).isFalse();
        }
    }

    private static void shouldCome(MessageConsumer consumer, int count) throws JMSException {
        for (int i = 0; i < count; i++) {
            assertThat(receive(consumer).getIntProperty(NUMBER)).isEqualTo(i);
        }
    }

    private static void awaitFull(Lab lab, Queue queue) throws JMSException {
        String name = queue.getQueueName();
        Lab.until("it is full", () -> lab.depth(name) >= LIMIT);
    }

    // ---- who waits, and who does not

    @ParameterizedTest
    @CsvSource({"1, false", "2, false", "1, true", "2, true"})
    @Spec({"1.0 §2.6.7", "1.0 §2.5.6", "1.0 §4.4.1"})
    @Reported({"ActiveMQ PFC page", "spring-projects/spring-amqp#673"})
    void shouldLetTheOtherSessionsOfItsConnectionGoOn(int deliveryMode, boolean transacted, Lab lab)
            throws Exception {
        Queue full = JmsClient.queue(lab);
        Queue free = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(full.getQueueName()).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        Connection connection = JmsClient.connect(lab);
        int mode = transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE;
        Sending held = Sending.start(connection.createSession(mode), full, deliveryMode, MESSAGES, BODY_BYTES);
        awaitFull(lab, full);

        Sending beside =
                Sending.start(connection.createSession(mode), free, deliveryMode, MESSAGES_BESIDE, BODY_BYTES);
        shouldCome(connection.createSession().createConsumer(free), MESSAGES_BESIDE);
        beside.shouldFinish();

        assertThat(held.sent()).isBetween(LIMIT - 1, LIMIT + 20).isLessThan(MESSAGES);
        assertThat(lab.depth(full.getQueueName())).isEqualTo(LIMIT);
        shouldCome(connection.createSession().createConsumer(full), MESSAGES);
        held.shouldFinish();
    }

    @ParameterizedTest
    @ValueSource(ints = {DeliveryMode.NON_PERSISTENT, DeliveryMode.PERSISTENT})
    @Spec({"1.0 §2.6.7", "1.0 §2.5.6"})
    void shouldLetTheOtherMessagesOfItsSessionGoOn(int deliveryMode, Lab lab) throws Exception {
        Queue full = JmsClient.queue(lab);
        Queue free = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(full.getQueueName()).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(null);
        producer.setDeliveryMode(deliveryMode);
        List<String> completed = new ArrayList<>();
        BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();
        CompletionListener listener = new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                try {
                    synchronized (completed) {
                        completed.add(text(message));
                    }
                } catch (JMSException e) {
                    failures.add(e);
                }
            }

            @Override
            public void onException(Message message, Exception exception) {
                failures.add(exception);
            }
        };
        for (int i = 0; i < 150; i++) {
            producer.send(full, session.createTextMessage("full " + i), listener);
            producer.send(free, session.createTextMessage("free " + i), listener);
        }
        // Completions are told in order, so that those of the free queue are seen at the queue.
        MessageConsumer consumer = connection.createSession().createConsumer(free);
        for (int i = 0; i < 150; i++) {
            assertThat(text(receive(consumer))).isEqualTo("free " + i);
        }
        lab.awaitParked(50);
        assertThat(lab.depth(full.getQueueName())).isEqualTo(LIMIT);
        MessageConsumer draining = connection.createSession().createConsumer(full);
        for (int i = 0; i < 150; i++) {
            assertThat(text(receive(draining))).isEqualTo("full " + i);
        }
        Lab.until("all are complete", () -> {
            synchronized (completed) {
                return completed.size() == 300;
            }
        });
        assertThat(failures).isEmpty();
    }

    @Test
    @Spec({"1.0 §2.6.7", "1.0 §4.4.1"})
    void shouldCommitElsewhereWhileACommitWaits(Lab lab) throws Exception {
        Queue full = JmsClient.queue(lab);
        Queue free = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(full.getQueueName()).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        Connection connection = JmsClient.connect(lab);
        Session held = connection.createSession(Session.SESSION_TRANSACTED);
        Sending sending = Sending.start(held, full, DeliveryMode.PERSISTENT, LIMIT + 20, BODY_BYTES);
        awaitFull(lab, full);
        Session other = connection.createSession(Session.SESSION_TRANSACTED);
        for (int i = 0; i < 50; i++) {
            send(other, free, numbers(1, 2));
            if (i % 2 == 0) {
                other.commit();
            } else {
                other.rollback();
            }
        }
        assertThat(lab.depth(free.getQueueName())).isEqualTo(50);
        shouldCome(connection.createSession().createConsumer(full), LIMIT + 20);
        sending.shouldFinish();
    }

    // ---- how much

    /** The links that wait, be it for credit or with a message. */
    private static Set<String> linksOf(AddressState state) {
        return state.waiting().stream().map(each -> each.connection() + each.producer().replace("credit of ", ""))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @CsvSource({"1, 200", "2, 200", "1, 10000", "2, 10000"})
    @Spec("1.0 §2.6.7")
    void shouldStoreNothingBeyondTheLimitAndHoldAMessageOfEachLink(int deliveryMode, int bytes, Lab lab)
            throws Exception {
        Queue queue = JmsClient.queue(lab);
        long limit = 200_000;
        int links = 8;
        int count = 80;
        lab.limit(AddressSetting.match(queue.getQueueName()).maxSizeBytes(limit).fullPolicy(FullPolicy.BLOCK));
        List<Sending> sendings = new ArrayList<>();
        int each = Math.max(count, (int) (2 * limit / links / (bytes + 300)));
        for (int i = 0; i < 2; i++) {
            Connection connection = JmsClient.connect(lab);
            for (int j = 0; j < links / 2; j++) {
                sendings.add(Sending.start(connection.createSession(), queue, deliveryMode, each, bytes));
            }
        }
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(lab.address(queue.getQueueName()))
                .satisfies(state -> assertThat(state.usedBytes()).isGreaterThan(limit * 3 / 4))
                .satisfies(state -> assertThat(linksOf(state)).hasSize(links)));
        long parked = lab.counters().parkedMessages();
        assertThat(parked).isLessThanOrEqualTo(links);
        Session session = JmsClient.connect(lab).createSession();
        MessageConsumer consumer = session.createConsumer(queue);
        int[] numbers = new int[each];
        for (int i = 0; i < links * each; i++) {
            numbers[receive(consumer).getIntProperty(NUMBER)]++;
            if (i % 50 == 0) {
                // What was on its way when credit was called back may wait, too: no more than there was room for.
                assertThat(lab.counters().parkedMessages()).isLessThanOrEqualTo(links + limit / bytes);
            }
        }
        assertThat(numbers).containsOnly(links);
        for (Sending sending : sendings) {
            sending.shouldFinish();
        }
        AddressState state = lab.address(queue.getQueueName());
        assertThat(state.highestBytes()).isBetween(limit / 2, limit);
        assertThat(state.usedBytes()).isLessThan(limit);
    }

    // ---- refusals

    @Test
    @Spec({"1.0 §3.4.3", "1.0 §2.6.14"})
    @Reported("ARTEMIS-4982")
    void shouldLeaveNothingOfLargeMessagesThatAreRefused(@TempDir Path data) throws Exception {
        Queue queue = new JmsQueue("orders");
        long before;
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            lab.limit(AddressSetting.match("orders").maxSizeBytes(100_000).fullPolicy(FullPolicy.FAIL));
            Connection connection = JmsClient.connect(lab);
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(queue);
            BytesMessage small = session.createBytesMessage();
            small.writeBytes(new byte[90_000]);
            producer.send(small);
            before = lab.counters().messageBytes();
            BytesMessage large = session.createBytesMessage();
            large.writeBytes(new byte[10 << 20]);
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> producer.send(large)).isInstanceOf(ResourceAllocationException.class);
            }
            assertThat(lab.counters().messageBytes()).isEqualTo(before);
            assertThat(lab.address("orders").usedBytes()).isLessThan(100_000);
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            assertThat(lab.counters().messageBytes()).isLessThanOrEqualTo(before);
            lab.forget("orders");
            MessageConsumer consumer = JmsClient.connect(lab).createSession().createConsumer(queue);
            assertThat(((BytesMessage) receive(consumer)).getBodyLength()).isEqualTo(90_000);
            JmsClient.shouldBeEmpty(consumer);
            lab.leave();
        }
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldTellAClientOfAMessageThatWillNeverFit(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxSizeBytes(20_000).fullPolicy(FullPolicy.BLOCK));
        Session session = JmsClient.connect(lab).createSession();
        MessageProducer producer = session.createProducer(queue);
        BytesMessage large = session.createBytesMessage();
        large.writeBytes(new byte[30_000]);
        assertThatThrownBy(() -> producer.send(large)).isInstanceOf(ResourceAllocationException.class);
        producer.send(session.createTextMessage("small"));
        assertThat(text(receive(session.createConsumer(queue)))).isEqualTo("small");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Spec({"1.0 §3.4.3", "1.0 §4.3"})
    void shouldRefuseWhatHasWaitedAsLongAsItMay(boolean transacted, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxMessages(5).fullPolicy(FullPolicy.BLOCK)
                .holdLimit(Duration.ofSeconds(1)));
        Connection connection = JmsClient.connect(lab);
        send(connection.createSession(), queue, numbers(1, 5));
        Session session = connection.createSession(
                transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(transacted ? null : queue);
        if (transacted) {
            producer.send(queue, session.createTextMessage("too late"));
            assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                    .hasMessageContaining("resource-limit-exceeded");
        } else {
            assertThatThrownBy(() -> producer.send(session.createTextMessage("too late")))
                    .isInstanceOf(ResourceAllocationException.class);
        }
        assertThat(lab.drain(queue.getQueueName())).containsExactly(numbers(1, 5));
        send(session, queue, "next");
        if (transacted) {
            session.commit();
        }
        assertThat(lab.drain(queue.getQueueName())).containsExactly("next");
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldTimeOutASendThatWaitsAndLoseNothingElse(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxMessages(5).fullPolicy(FullPolicy.BLOCK));
        Session session = JmsClient.connect(lab, "jms.sendTimeout=300").createSession();
        MessageProducer producer = session.createProducer(queue);
        for (String text : numbers(1, 5)) {
            producer.send(session.createTextMessage(text));
        }
        assertThatThrownBy(() -> producer.send(session.createTextMessage("too late")))
                .isInstanceOf(JMSException.class);
        assertThat(lab.drain(queue.getQueueName())).containsExactly(numbers(1, 5));
        producer.send(session.createTextMessage("next"));
        assertThat(lab.drain(queue.getQueueName())).containsExactly("next");
    }

    @Test
    @Spec({"1.0 §2.6.7", "1.0 §2.4.3"})
    void shouldEndConnectionsThatWait(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        for (int deliveryMode : new int[] {DeliveryMode.NON_PERSISTENT, DeliveryMode.PERSISTENT}) {
            Connection connection = JmsClient.connect(lab);
            Sending sending = Sending.start(connection.createSession(), queue, deliveryMode, MESSAGES, BODY_BYTES);
            awaitFull(lab, queue);
            connection.close();
            sending.thread.join(JmsClient.SOON);
            assertThat(sending.failure.get()).isInstanceOf(JMSException.class);
            assertThat(lab.drain(queue.getQueueName())).hasSize(LIMIT);
        }
        Lab.until("nothing is left in the address", () -> lab.address(queue.getQueueName()).usedMessages() == 0);
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldShareWhatIsFreeAmongAllLinks(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxMessages(4).fullPolicy(FullPolicy.BLOCK));
        List<Sending> sendings = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Connection connection = JmsClient.connect(lab);
            for (int j = 0; j < 4; j++) {
                sendings.add(Sending.start(
                        connection.createSession(), queue, DeliveryMode.NON_PERSISTENT, 50, BODY_BYTES));
            }
        }
        MessageConsumer consumer = JmsClient.connect(lab).createSession().createConsumer(queue);
        for (int i = 0; i < 600; i++) {
            receive(consumer);
        }
        for (Sending each : sendings) {
            each.shouldFinish();
        }
    }
}
