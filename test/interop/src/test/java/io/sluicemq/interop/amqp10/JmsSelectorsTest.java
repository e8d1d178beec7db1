package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Selectors as Qpid JMS sends them, over properties and headers of every type. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no selectors")
class JmsSelectorsTest {

    /** What a selector matches of a queue, without taking it. */
    private static List<String> matching(Session session, Queue queue, String selector) throws JMSException {
        List<String> texts = new ArrayList<>();
        QueueBrowser browser = session.createBrowser(queue, selector);
        for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements();) {
            texts.add(text((Message) each.nextElement()));
        }
        browser.close();
        return texts;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "t = TRUE", "t <> FALSE", "b = 7", "s = -300", "i = 70000", "l = 5000000000", "f = 1.5", "d = 2.25e0",
                "n = 'text'", "n <> 'other'", "n IN ('a', 'text')", "n NOT IN ('a', 'b')", "n LIKE 't_x%'",
                "missing IS NULL", "n IS NOT NULL", "i BETWEEN 69999 AND 70001", "i NOT BETWEEN 1 AND 2",
                "i + b * 10 = 70070", "-s = 300", "i / 7 = 10000", "d > f AND f > 1", "l > i OR missing = 1",
                "NOT (missing = 1) OR t", "q = 'it''s'", "JMSPriority = 7", "JMSDeliveryMode = 'NON_PERSISTENT'",
                "JMSType = 'kind'", "JMSCorrelationID = 'corr'", "JMSTimestamp > 1600000000000",
                "JMSMessageID LIKE 'ID:%'", "JMSXGroupID = 'g'", "JMSXGroupSeq = 3", "i = 70000.0", "i > 6.9e4"
            })
    @Spec("1.0 §3.5.8")
    void shouldSelectByPropertiesOfAllTypes(String selector, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage("plain"));
        Message message = session.createTextMessage("m");
        message.setBooleanProperty("t", true);
        message.setByteProperty("b", (byte) 7);
        message.setShortProperty("s", (short) -300);
        message.setIntProperty("i", 70_000);
        message.setLongProperty("l", 5_000_000_000L);
        message.setFloatProperty("f", 1.5f);
        message.setDoubleProperty("d", 2.25);
        message.setStringProperty("n", "text");
        message.setStringProperty("q", "it's");
        message.setStringProperty("JMSXGroupID", "g");
        message.setIntProperty("JMSXGroupSeq", 3);
        message.setJMSType("kind");
        message.setJMSCorrelationID("corr");
        producer.send(message, DeliveryMode.NON_PERSISTENT, 7, 0);
        assertThat(matching(session, queue, selector)).contains("m");
        assertThat(matching(session, queue, "NOT (" + selector + ")")).doesNotContain("m");
        MessageConsumer consumer = session.createConsumer(queue, "(" + selector + ") AND n IS NOT NULL");
        assertThat(text(receive(consumer))).isEqualTo("m");
        shouldBeEmpty(consumer);
    }

    @Test
    @Spec("1.0 §3.5.8")
    @Reported("QPID-8656 (Broker-J)")
    void shouldNegateLikeByTheLogicOfThreeValues(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        for (String n : new String[] {"ab", "b", null}) {
            for (Integer k : new Integer[] {1, 2, 3, null}) {
                Message message = session.createTextMessage(n + "/" + k);
                if (n != null) {
                    message.setStringProperty("n", n);
                }
                if (k != null) {
                    message.setIntProperty("k", k);
                }
                producer.send(message);
            }
        }
        assertThat(matching(session, queue, "NOT (n LIKE 'a%')")).containsExactly("b/1", "b/2", "b/3", "b/null");
        assertThat(matching(session, queue, "n NOT LIKE 'a%'")).containsExactly("b/1", "b/2", "b/3", "b/null");
        assertThat(matching(session, queue, "NOT n LIKE 'a%' AND k = 1")).containsExactly("b/1");
        assertThat(matching(session, queue, "k = 1 AND NOT (n LIKE '_b') OR k = 3"))
                .containsExactly("ab/3", "b/1", "b/3", "null/3");
    }

    @Test
    @Spec("1.0 §3.5.8")
    @Reported({"QPID-5805 (cpp)", "QPID-5874 (cpp)"})
    void shouldReadEscapesInPatterns(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        for (String n : List.of("a_b", "axb", "a%b", "a\\b")) {
            Message message = session.createTextMessage(n);
            message.setStringProperty("n", n);
            producer.send(message);
        }
        assertThat(matching(session, queue, "n LIKE 'a\\_b' ESCAPE '\\'")).containsExactly("a_b");
        assertThat(matching(session, queue, "n LIKE 'a!%b' ESCAPE '!'")).containsExactly("a%b");
        assertThat(matching(session, queue, "n LIKE 'a\\b'")).containsExactly("a\\b");
        for (String refused : List.of("n LIKE 'a%%b' ESCAPE '%'", "n LIKE 'a__b' ESCAPE '_'")) {
            assertThatThrownBy(() -> session.createConsumer(queue, refused)).as(refused)
                    .isInstanceOf(JMSException.class).hasMessageContaining("escape");
        }
        for (String blank : new String[] {null, "", "   "}) {
            assertThat(matching(session, queue, blank)).hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"n =", "= 1", "n LIKE 5", "(n = 1", "n BETWEEN 1", "n IN ()", "5", "n ! 1", "a b"})
    @Spec({"1.0 §3.5.8", "1.0 §2.6.3"})
    void shouldRefuseWhatIsNoSelector(String selector, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Session session = JmsClient.connect(lab).createSession();
        assertThatThrownBy(() -> session.createConsumer(queue, selector)).isInstanceOf(JMSException.class);
        // The session goes on.
        JmsClient.send(session, queue, "m");
        assertThat(text(receive(session.createConsumer(queue)))).isEqualTo("m");
    }

    @Test
    @Spec("1.0 §3.5.8")
    void shouldNeverStopOthersForOneThatMatchesNothing(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageConsumer nothing = connection.createSession().createConsumer(queue, "a = -1");
        MessageConsumer evens = connection.createSession().createConsumer(queue, "even = TRUE");
        MessageConsumer odds = connection.createSession().createConsumer(queue, "even = FALSE");
        MessageProducer producer = session.createProducer(queue);
        List<String> even = new ArrayList<>();
        List<String> odd = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Message message = session.createTextMessage(Integer.toString(i));
            message.setBooleanProperty("even", i % 2 == 0);
            message.setIntProperty("a", i);
            producer.send(message);
            (i % 2 == 0 ? even : odd).add(Integer.toString(i));
        }
        assertThat(texts(odds, 500)).containsExactlyElementsOf(odd);
        assertThat(texts(evens, 500)).containsExactlyElementsOf(even);
        shouldBeEmpty(nothing);
    }

    @Test
    @Spec("1.0 §3.5.8")
    void shouldTakeOutOfTheMiddle(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < 100; i++) {
            Message message = session.createTextMessage(Integer.toString(i));
            message.setIntProperty("n", i);
            producer.send(message);
        }
        for (int i = 99; i >= 0; i -= 7) {
            MessageConsumer consumer = session.createConsumer(queue, "n = " + i);
            assertThat(text(receive(consumer))).isEqualTo(Integer.toString(i));
            consumer.close();
        }
        MessageConsumer rest = session.createConsumer(queue);
        List<String> left = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            if (i % 7 != 1) {
                left.add(Integer.toString(i));
            }
        }
        assertThat(texts(rest, left.size())).containsExactlyElementsOf(left);
        shouldBeEmpty(rest);
    }
}
