package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Topics with Qpid JMS: subscriptions of all kinds, what they get, and when they end. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class JmsTopicsTest {

    private static final String SUBSCRIPTION = "news";

    /** Sends texts with a property {@code a}. */
    private static void sendWith(Session session, Topic topic, int a, String... texts) throws JMSException {
        MessageProducer producer = session.createProducer(topic);
        for (String text : texts) {
            Message message = session.createTextMessage(text);
            message.setIntProperty("a", a);
            producer.send(message);
        }
        producer.close();
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldGiveEachSubscriberAll(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        send(session, topic, "before");
        List<MessageConsumer> subscribers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            subscribers.add(connection.createSession().createConsumer(topic));
        }
        MessageConsumer elsewhere = JmsClient.connect(lab).createSession().createConsumer(topic);
        subscribers.add(elsewhere);
        send(session, topic, numbers(1, 50));
        for (MessageConsumer each : subscribers) {
            Message first = receive(each);
            assertThat(text(first)).isEqualTo("1");
            assertThat(first.getJMSDestination()).isEqualTo(topic);
            assertThat(texts(each, 49)).containsExactly(numbers(2, 50));
            shouldBeEmpty(each);
        }
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldHaveSelectorsAndNoLocalOnSubscriptions(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.connect(lab);
        Connection other = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageConsumer ones = session.createConsumer(topic, "a = 1");
        MessageConsumer foreign = session.createConsumer(topic, null, true);
        MessageConsumer foreignOnes = session.createConsumer(topic, "a = 1", true);
        sendWith(session, topic, 1, "own 1");
        sendWith(session, topic, 2, "own 2");
        sendWith(other.createSession(), topic, 1, "other 1");
        sendWith(other.createSession(), topic, 2, "other 2");
        assertThat(texts(ones, 2)).containsExactly("own 1", "other 1");
        assertThat(texts(foreign, 2)).containsExactly("other 1", "other 2");
        assertThat(texts(foreignOnes, 1)).containsExactly("other 1");
        shouldBeEmpty(ones);
        shouldBeEmpty(foreign);
        shouldBeEmpty(foreignOnes);
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldSubscribeToManyTopicsByAPattern(Lab lab) throws Exception {
        String root = lab.name("root");
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageConsumer word = session.createConsumer(new JmsTopic(root + ".*"));
        MessageConsumer words = session.createConsumer(new JmsTopic(root + ".#"));
        for (String name : List.of(root, root + ".a", root + ".b", root + ".a.b")) {
            send(session, new JmsTopic(name), name);
        }
        Message first = receive(word);
        assertThat(text(first)).isEqualTo(root + ".a");
        assertThat(((Topic) first.getJMSDestination()).getTopicName()).isEqualTo(root + ".a");
        assertThat(texts(word, 1)).containsExactly(root + ".b");
        assertThat(texts(words, 4)).containsExactly(root, root + ".a", root + ".b", root + ".a.b");
        shouldBeEmpty(word);
    }

    @Test
    @Spec({"1.0 §3.5.3", "1.0 §3.5.5", "1.0 §2.6.4"})
    void shouldKeepADurableSubscription(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection publishing = JmsClient.connect(lab);
        Session publisher = publishing.createSession();
        String clientId = lab.name("client");
        Connection connection = JmsClient.open(lab, clientId);
        connection.start();
        Session session = connection.createSession();
        MessageConsumer consumer = session.createDurableConsumer(topic, SUBSCRIPTION);
        send(publisher, topic, "1");
        assertThat(text(receive(consumer))).isEqualTo("1");
        consumer.close();
        send(publisher, topic, "2");
        consumer = session.createDurableConsumer(topic, SUBSCRIPTION);
        assertThat(text(receive(consumer))).isEqualTo("2");
        connection.close();
        send(publisher, topic, "3", "4");

        connection = JmsClient.open(lab, clientId);
        connection.start();
        session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        consumer = session.createDurableSubscriber(topic, SUBSCRIPTION);
        assertThat(texts(consumer, 2)).containsExactly("3", "4");
        session.close();
        session = connection.createSession();
        consumer = session.createDurableConsumer(topic, SUBSCRIPTION);
        assertThat(texts(consumer, 2)).containsExactly("3", "4");
        Session still = session;
        assertThatThrownBy(() -> still.unsubscribe(SUBSCRIPTION)).isInstanceOf(JMSException.class);
        Connection second = JmsClient.open(lab, lab.name("other"));
        Session foreign = second.createSession();
        assertThatThrownBy(() -> foreign.unsubscribe(SUBSCRIPTION)).isInstanceOf(InvalidDestinationException.class);
        consumer.close();

        session.unsubscribe(SUBSCRIPTION);
        assertThatThrownBy(() -> still.unsubscribe(SUBSCRIPTION)).isInstanceOf(InvalidDestinationException.class);
        send(publisher, topic, "5");
        consumer = session.createDurableConsumer(topic, SUBSCRIPTION);
        shouldBeEmpty(consumer);
        consumer.close();
        session.unsubscribe(SUBSCRIPTION);
    }

    @Test
    @Spec({"1.0 §3.5.3", "1.0 §2.6.3"})
    void shouldHaveOneConsumerOfADurableSubscription(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.open(lab, lab.name("client"));
        connection.start();
        Session session = connection.createSession();
        MessageConsumer consumer = session.createDurableConsumer(topic, SUBSCRIPTION);
        Session other = connection.createSession();
        assertThatThrownBy(() -> other.createDurableConsumer(topic, SUBSCRIPTION)).isInstanceOf(JMSException.class);
        send(session, topic, "m");
        assertThat(text(receive(consumer))).isEqualTo("m");
        consumer.close();
        other.unsubscribe(SUBSCRIPTION);
    }

    @Test
    @Spec("1.0 §3.5.3")
    @Reported("ARTEMIS-799")
    void shouldBeginADurableSubscriptionAnewOnOtherTerms(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Topic another = JmsClient.topic(lab);
        Session publisher = JmsClient.connect(lab).createSession();
        Connection connection = JmsClient.open(lab, lab.name("client"));
        connection.start();
        Session session = connection.createSession();
        session.createDurableConsumer(topic, SUBSCRIPTION, "a = 1", false).close();
        sendWith(publisher, topic, 1, numbers(1, 10));
        sendWith(publisher, topic, 2, numbers(11, 20));

        MessageConsumer consumer = session.createDurableConsumer(topic, SUBSCRIPTION, "a = 1", false);
        assertThat(texts(consumer, 10)).containsExactly(numbers(1, 10));
        shouldBeEmpty(consumer);
        consumer.close();
        sendWith(publisher, topic, 1, numbers(21, 30));
        sendWith(publisher, topic, 2, numbers(31, 40));

        consumer = session.createDurableConsumer(topic, SUBSCRIPTION, "a = 2", false);
        shouldBeEmpty(consumer);
        sendWith(publisher, topic, 1, "not wanted any more");
        sendWith(publisher, topic, 2, "wanted");
        assertThat(text(receive(consumer))).isEqualTo("wanted");
        consumer.close();
        sendWith(publisher, topic, 2, "left");

        consumer = session.createDurableConsumer(another, SUBSCRIPTION, "a = 2", false);
        sendWith(publisher, topic, 2, "to the topic before");
        sendWith(publisher, another, 2, "to the other topic");
        assertThat(text(receive(consumer))).isEqualTo("to the other topic");
        shouldBeEmpty(consumer);
        consumer.close();
        sendWith(publisher, another, 2, "left");

        consumer = session.createDurableConsumer(another, SUBSCRIPTION, "a = 2", true);
        sendWith(session, another, 2, "own");
        sendWith(publisher, another, 2, "not own");
        assertThat(text(receive(consumer))).isEqualTo("not own");
        shouldBeEmpty(consumer);
        consumer.close();
        session.unsubscribe(SUBSCRIPTION);
        assertThat(lab.counters().messageBytes()).isZero();
    }

    @Test
    @Spec("1.0 §3.5.3")
    @Reported("ARTEMIS-3423")
    void shouldBeginASharedDurableSubscriptionAnewWithAnotherSelector(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.open(lab, lab.name("client"));
        connection.start();
        Session session = connection.createSession();
        session.createSharedDurableConsumer(topic, SUBSCRIPTION, "a = 1").close();
        sendWith(session, topic, 1, "old");
        sendWith(session, topic, 2, "old");
        MessageConsumer one = session.createSharedDurableConsumer(topic, SUBSCRIPTION, "a = 2");
        MessageConsumer two = connection.createSession().createSharedDurableConsumer(topic, SUBSCRIPTION, "a = 2");
        sendWith(session, topic, 1, numbers(1, 10));
        sendWith(session, topic, 2, numbers(11, 20));
        assertThat(shared(10, one, two)).containsExactlyInAnyOrder(numbers(11, 20));
        shouldBeEmpty(one);
        shouldBeEmpty(two);
        Session other = connection.createSession();
        assertThatThrownBy(() -> other.createSharedDurableConsumer(topic, SUBSCRIPTION, "a = 3"))
                .as("in use on other terms").isInstanceOf(JMSException.class);
        one.close();
        two.close();
        session.unsubscribe(SUBSCRIPTION);
    }

    /** What several consumers get together, so many messages. */
    private static List<String> shared(int count, MessageConsumer... consumers) throws JMSException {
        List<String> got = new ArrayList<>();
        Lab.until("all are there", () -> {
            for (MessageConsumer each : consumers) {
                for (Message m = each.receiveNoWait(); m != null; m = each.receiveNoWait()) {
                    got.add(text(m));
                }
            }
            return got.size() >= count;
        });
        return got;
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldShareASubscriptionAsLongAsItIsUsed(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.open(lab, lab.name("client"), "jms.prefetchPolicy.all=5");
        connection.start();
        Session session = connection.createSession();
        MessageConsumer one = session.createSharedConsumer(topic, SUBSCRIPTION);
        MessageConsumer two = connection.createSession().createSharedConsumer(topic, SUBSCRIPTION);
        MessageConsumer three = connection.createSession().createSharedConsumer(topic, SUBSCRIPTION);
        send(session, topic, numbers(1, 100));
        assertThat(shared(100, one, two, three)).containsExactlyInAnyOrder(numbers(1, 100));
        one.close();
        three.close();
        send(session, topic, numbers(101, 110));
        assertThat(shared(10, two)).containsExactly(numbers(101, 110));
        two.close();
        send(session, topic, "nobody's");
        shouldBeEmpty(session.createSharedConsumer(topic, SUBSCRIPTION));
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldShareADurableSubscription(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        String clientId = lab.name("client");
        Connection connection = JmsClient.open(lab, clientId, "jms.prefetchPolicy.all=5");
        connection.start();
        Session session = connection.createSession();
        MessageConsumer one = session.createSharedDurableConsumer(topic, SUBSCRIPTION);
        MessageConsumer two = connection.createSession().createSharedDurableConsumer(topic, SUBSCRIPTION);
        Session publisher = JmsClient.connect(lab).createSession();
        send(publisher, topic, numbers(1, 100));
        assertThat(shared(100, one, two)).containsExactlyInAnyOrder(numbers(1, 100));
        connection.close();
        send(publisher, topic, numbers(101, 110));

        connection = JmsClient.open(lab, clientId);
        connection.start();
        session = connection.createSession();
        one = session.createSharedDurableConsumer(topic, SUBSCRIPTION);
        assertThat(texts(one, 10)).containsExactly(numbers(101, 110));
        Session still = session;
        assertThatThrownBy(() -> still.unsubscribe(SUBSCRIPTION)).isInstanceOf(JMSException.class);
        one.close();
        session.unsubscribe(SUBSCRIPTION);
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldShareSubscriptionsAmongConnectionsWithoutAClientId(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        String name = lab.name("global");
        Connection a = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        Connection b = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        Session publisher = JmsClient.connect(lab).createSession();
        MessageConsumer one = a.createSession().createSharedConsumer(topic, name);
        MessageConsumer two = b.createSession().createSharedConsumer(topic, name);
        MessageConsumer three = a.createSession().createSharedDurableConsumer(topic, name);
        Session ofB = b.createSession();
        MessageConsumer four = ofB.createSharedDurableConsumer(topic, name);
        send(publisher, topic, numbers(1, 60));
        assertThat(shared(60, one, two)).containsExactlyInAnyOrder(numbers(1, 60));
        assertThat(shared(60, three, four)).containsExactlyInAnyOrder(numbers(1, 60));
        a.close();
        four.close();
        send(publisher, topic, "kept");
        four = ofB.createSharedDurableConsumer(topic, name);
        assertThat(text(receive(four))).isEqualTo("kept");
        assertThat(text(receive(two))).isEqualTo("kept");
        four.close();
        ofB.unsubscribe(name);
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldKeepWhatASubscriptionHasNotAcknowledged(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.open(lab, lab.name("client"));
        connection.start();
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        MessageConsumer consumer = session.createDurableConsumer(topic, SUBSCRIPTION);
        send(connection.createSession(), topic, numbers(1, 10));
        assertThat(texts(consumer, 10)).containsExactly(numbers(1, 10));
        session.rollback();
        assertThat(texts(consumer, 10)).containsExactly(numbers(1, 10));
        session.commit();
        shouldBeEmpty(consumer);
        consumer.close();
        session.unsubscribe(SUBSCRIPTION);
    }

    @Test
    @Spec({"1.0 §3.5.3", "1.0 §3.5.6"})
    void shouldKeepDurableSubscriptionsOverARestart(@TempDir Path data) throws Exception {
        Topic topic = new JmsTopic("prices");
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            Connection connection = JmsClient.open(lab, "client");
            Session session = connection.createSession();
            session.createDurableConsumer(topic, "one", "a = 1", false).close();
            session.createSharedDurableConsumer(topic, "two").close();
            sendWith(session, topic, 1, "1");
            sendWith(session, topic, 2, "2");
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            Connection connection = JmsClient.open(lab, "client");
            connection.start();
            Session session = connection.createSession();
            sendWith(session, topic, 1, "3");
            MessageConsumer one = session.createDurableConsumer(topic, "one", "a = 1", false);
            MessageConsumer two = session.createSharedDurableConsumer(topic, "two");
            assertThat(texts(one, 2)).containsExactly("1", "3");
            assertThat(texts(two, 3)).containsExactly("1", "2", "3");
            shouldBeEmpty(one);
            one.close();
            two.close();
            session.unsubscribe("one");
            session.unsubscribe("two");
            connection.close();
            assertThat(lab.counters().queues()).isZero();
            lab.leave();
        }
    }
}
