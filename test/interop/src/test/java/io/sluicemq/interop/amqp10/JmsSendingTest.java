package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Qpid JMS sends with: completion listeners, delays, priorities, times to live, groups, and no fixed destination. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class JmsSendingTest {

    /** What has become of each message, in order. */
    private static final class Completions implements CompletionListener {

        private final BlockingQueue<String> completed = new LinkedBlockingQueue<>();
        private final BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();

        @Override
        public void onCompletion(Message message) {
            try {
                completed.add(text(message));
            } catch (JMSException e) {
                failures.add(e);
            }
        }

        @Override
        public void onException(Message message, Exception exception) {
            failures.add(exception);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT})
    @Spec({"1.0 §2.6.12", "1.0 §3.4.2"})
    void shouldCompleteInOrder(int deliveryMode, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(deliveryMode);
        Completions completions = new Completions();
        for (String text : numbers(1, 3_000)) {
            producer.send(session.createTextMessage(text), completions);
        }
        Lab.until("all are complete", () -> completions.completed.size() == 3_000);
        assertThat(completions.completed).containsExactly(numbers(1, 3_000));
        assertThat(completions.failures).isEmpty();
        assertThat(lab.depth(queue.getQueueName())).isEqualTo(3_000);
    }

    @Test
    @Spec({"1.0 §3.4.3", "1.0 §2.8.15"})
    void shouldTellEachFailureOfAnAddressThatIsFull(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxMessages(10).fullPolicy(FullPolicy.FAIL));
        Connection connection = JmsClient.connect(lab);
        BlockingQueue<JMSException> problems = JmsClient.problems(connection);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        Completions completions = new Completions();
        for (String text : numbers(1, 30)) {
            producer.send(session.createTextMessage(text), completions);
        }
        Lab.until("all are told", () -> completions.completed.size() + completions.failures.size() == 30);
        assertThat(completions.completed).containsExactly(numbers(1, 10));
        assertThat(completions.failures).hasSize(20).allSatisfy(failure -> assertThat(failure)
                .isInstanceOf(ResourceAllocationException.class).hasMessageContaining(queue.getQueueName()));
        assertThatThrownBy(() -> producer.send(session.createTextMessage("m")))
                .isInstanceOf(ResourceAllocationException.class);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        producer.send(session.createTextMessage("m"));
        Lab.until("told to the listener", () -> !problems.isEmpty());
        assertThat(problems).hasSize(1).allSatisfy(
                problem -> assertThat(problem).isInstanceOf(ResourceAllocationException.class));
        // It goes on when there is room.
        assertThat(lab.drain(queue.getQueueName())).hasSize(10);
        producer.setDeliveryMode(DeliveryMode.PERSISTENT);
        producer.send(session.createTextMessage("room"));
        assertThat(lab.drain(queue.getQueueName())).hasSize(1);
    }

    @Test
    @Spec("1.0 §3.2.3")
    void shouldDeliverLater(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageConsumer consumer = session.createConsumer(queue);
        MessageConsumer subscriber = session.createConsumer(topic);
        MessageProducer later = session.createProducer(queue);
        later.setDeliveryDelay(700);
        MessageProducer sooner = session.createProducer(null);
        sooner.setDeliveryDelay(300);
        long before = System.currentTimeMillis();
        Message delayed = session.createTextMessage("later");
        later.send(delayed);
        assertThat(delayed.getJMSDeliveryTime()).isBetween(before + 700, before + 1_700);
        sooner.send(queue, session.createTextMessage("sooner"));
        sooner.send(topic, session.createTextMessage("sooner"));
        send(session, queue, "now");
        assertThat(text(receive(consumer))).isEqualTo("now");
        Message second = receive(consumer);
        assertThat(text(second)).isEqualTo("sooner");
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(second.getJMSDeliveryTime())
                .isGreaterThanOrEqualTo(before + 300);
        assertThat(text(receive(subscriber))).isEqualTo("sooner");
        Message third = receive(consumer);
        assertThat(text(third)).isEqualTo("later");
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(before + 700);
        assertThat(third.getJMSDeliveryTime()).isEqualTo(delayed.getJMSDeliveryTime());
    }

    @Test
    @Spec({"1.0 §3.2.3", "1.0 §4.4.1"})
    void shouldDeliverLaterWhatIsCommitted(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryDelay(300);
        producer.send(session.createTextMessage("dropped"));
        session.rollback();
        long before = System.currentTimeMillis();
        producer.send(session.createTextMessage("kept"));
        session.commit();
        MessageConsumer consumer = connection.createSession().createConsumer(queue);
        assertThat(text(receive(consumer))).isEqualTo("kept");
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(before + 300);
        shouldBeEmpty(consumer);
    }

    private static void sendPriorities(Session session, Queue queue) throws JMSException {
        List<Integer> priorities = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            priorities.add(i % 10);
        }
        Collections.shuffle(priorities, new Random(1));
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < 100; i++) {
            producer.send(session.createTextMessage(priorities.get(i) + " " + i), DeliveryMode.PERSISTENT,
                    priorities.get(i), 0);
        }
    }

    private static void shouldComeByPriority(MessageConsumer consumer) throws JMSException {
        int priority = 9;
        int last = -1;
        for (int i = 0; i < 100; i++) {
            Message message = receive(consumer);
            String[] words = text(message).split(" ");
            assertThat(message.getJMSPriority()).isEqualTo(Integer.parseInt(words[0]));
            assertThat(message.getJMSPriority()).isLessThanOrEqualTo(priority);
            if (message.getJMSPriority() < priority) {
                last = -1;
            }
            priority = message.getJMSPriority();
            assertThat(Integer.parseInt(words[1])).as("in order within priority %s", priority).isGreaterThan(last);
            last = Integer.parseInt(words[1]);
        }
    }

    @Test
    @Spec("1.0 §3.2.1")
    void shouldDeliverByPriority(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        sendPriorities(session, queue);
        shouldComeByPriority(session.createConsumer(queue));
    }

    @Test
    @Spec("1.0 §3.2.1")
    @Reported("ARTEMIS-5032")
    void shouldRememberPrioritiesOverARestart(@TempDir Path data) throws Exception {
        Queue queue = new JmsQueue("orders");
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            sendPriorities(JmsClient.connect(lab).createSession(), queue);
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            lab.forget("orders");
            shouldComeByPriority(JmsClient.connect(lab).createSession().createConsumer(queue));
            lab.leave();
        }
    }

    @Test
    @Spec("1.0 §3.2.1")
    @Reported("ARTEMIS-4820")
    void shouldKeepAMessageThatLivesForThirtyDays(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        long live = Duration.ofDays(30).toMillis();
        Message sent = session.createTextMessage("m");
        producer.send(sent, DeliveryMode.PERSISTENT, 4, live);
        // Another one that is gone when this one is looked at.
        producer.send(session.createTextMessage("short"), DeliveryMode.PERSISTENT, 4, 20);
        Lab.until("the short one is gone", () -> lab.depth(queue.getQueueName()) == 1);
        MessageConsumer consumer = session.createConsumer(queue);
        Message message = receive(consumer);
        assertThat(text(message)).isEqualTo("m");
        assertThat(message.getJMSExpiration()).isEqualTo(sent.getJMSExpiration());
        assertThat(message.getJMSExpiration()).isCloseTo(System.currentTimeMillis() + live, within(60_000L));
        shouldBeEmpty(consumer);
    }

    @Test
    @Spec("1.0 §3.2.1")
    void shouldDropWhatHasExpired(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Topic topic = JmsClient.topic(lab);
        String clientId = lab.name("client");
        Connection connection = JmsClient.open(lab, clientId);
        Session session = connection.createSession();
        MessageConsumer durable = session.createDurableConsumer(topic, "news");
        MessageProducer producer = session.createProducer(null);
        for (int i = 0; i < 20; i++) {
            producer.send(queue, session.createTextMessage("short"), DeliveryMode.PERSISTENT, 4, 30);
            producer.send(topic, session.createTextMessage("short"), DeliveryMode.PERSISTENT, 4, 30);
            producer.send(queue, session.createTextMessage("for ever " + i));
        }
        Lab.until("they are gone", () -> lab.depth(queue.getQueueName()) == 20);
        Lab.until("they are gone from the subscription, too",
                () -> lab.depth("subscription:" + clientId + ":news") == 0);
        durable.close();
        connection.start();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int i = 0; i < 20; i++) {
            Message message = receive(consumer);
            assertThat(text(message)).isEqualTo("for ever " + i);
            assertThat(message.getJMSExpiration()).isZero();
        }
        durable = session.createDurableConsumer(topic, "news");
        shouldBeEmpty(durable);
        durable.close();
        session.unsubscribe("news");
    }

    @Test
    @Spec({"1.0 §3.2.4", "1.0 §3.5.4"})
    void shouldSendWithoutAFixedDestination(Lab lab) throws Exception {
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(null);
        List<Queue> queues = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queues.add(JmsClient.queue(lab));
        }
        Topic topic = JmsClient.topic(lab);
        MessageConsumer subscriber = session.createConsumer(topic);
        for (int i = 0; i < 200; i++) {
            producer.send(queues.get(i % 10), session.createTextMessage(Integer.toString(i)));
        }
        producer.send(topic, session.createTextMessage("to the topic"));
        for (int i = 0; i < 10; i++) {
            MessageConsumer consumer = session.createConsumer(queues.get(i));
            for (int j = i; j < 200; j += 10) {
                Message message = receive(consumer);
                assertThat(text(message)).isEqualTo(Integer.toString(j));
                assertThat(message.getJMSDestination()).isEqualTo(queues.get(i));
            }
            consumer.close();
        }
        Message ofTopic = receive(subscriber);
        assertThat(ofTopic.getJMSDestination()).isEqualTo(topic);
        assertThatThrownBy(() -> producer.send(new JmsQueue("/queues/nowhere"), session.createTextMessage("m")))
                .isInstanceOf(InvalidDestinationException.class);
        producer.send(topic, session.createTextMessage("still there"));
        assertThat(text(receive(subscriber))).isEqualTo("still there");
    }

    @Test
    @Spec("1.0 §3.2.4")
    void shouldGiveEachGroupToOneConsumer(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=10");
        Map<String, Set<Integer>> consumers = new HashMap<>();
        Map<String, List<Integer>> orders = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            int consumer = i;
            connection.createSession().createConsumer(queue).setMessageListener(message -> {
                try {
                    String group = message.getStringProperty("JMSXGroupID");
                    synchronized (orders) {
                        consumers.computeIfAbsent(group, key -> new HashSet<>()).add(consumer);
                        orders.computeIfAbsent(group, key -> new ArrayList<>())
                                .add(message.getIntProperty("JMSXGroupSeq"));
                    }
                } catch (JMSException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < 300; i++) {
            Message message = session.createTextMessage(Integer.toString(i));
            message.setStringProperty("JMSXGroupID", "group " + i % 10);
            message.setIntProperty("JMSXGroupSeq", i / 10);
            producer.send(message);
        }
        Lab.until("all are there", () -> {
            synchronized (orders) {
                return orders.values().stream().mapToInt(List::size).sum() == 300;
            }
        });
        assertThat(consumers).hasSize(10).allSatisfy((group, each) -> assertThat(each).hasSize(1));
        assertThat(orders).allSatisfy((group, order) -> assertThat(order).isSorted().hasSize(30));
    }

    @Test
    @Spec("1.0 §2.6.12")
    void shouldSendWithoutWaiting(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        for (String option : List.of("jms.forceAsyncSend=true", "jms.forceSyncSend=true",
                "jms.presettlePolicy.presettleProducers=true", "jms.presettlePolicy.presettleAll=true")) {
            Connection connection = JmsClient.connect(lab, option);
            Session session = connection.createSession();
            send(session, queue, numbers(1, 200));
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(texts(consumer, 200)).as(option).containsExactly(numbers(1, 200));
            connection.close();
        }
        assertThat(lab.depth(queue.getQueueName())).isZero();
    }
}
