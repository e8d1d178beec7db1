package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.Connection;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Browsers of Qpid JMS: they look and take nothing. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no browsers")
class JmsBrowsersTest {

    private static List<String> browse(QueueBrowser browser) throws JMSException {
        List<String> texts = new ArrayList<>();
        for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements();) {
            texts.add(text((Message) each.nextElement()));
        }
        return texts;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_000})
    @Spec({"1.0 §3.5.7", "1.0 §2.6.7"})
    void shouldLookAtAllMessagesAndTakeNone(int prefetch, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=" + prefetch);
        Session session = connection.createSession();
        assertThat(browse(session.createBrowser(queue))).isEmpty();
        send(session, queue, numbers(1, 30));
        QueueBrowser browser = session.createBrowser(queue);
        for (int i = 0; i < 3; i++) {
            assertThat(browse(browser)).containsExactly(numbers(1, 30));
        }
        Enumeration<?> open = browser.getEnumeration();
        assertThat(text((Message) open.nextElement())).isEqualTo("1");
        assertThat(lab.depth(queue.getQueueName())).isEqualTo(30);
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(texts(consumer, 30)).containsExactly(numbers(1, 30));
        browser.close();
    }

    @Test
    @Spec({"1.0 §3.5.7", "1.0 §3.5.8"})
    void shouldLookAtWhatASelectorMatches(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        for (int i = 1; i <= 100; i++) {
            Message message = session.createTextMessage(Integer.toString(i));
            message.setIntProperty("n", i);
            producer.send(message);
        }
        assertThat(browse(session.createBrowser(queue, "n BETWEEN 20 AND 22 OR n = 99")))
                .containsExactly("20", "21", "22", "99");
        assertThat(browse(session.createBrowser(queue, "n > 100"))).isEmpty();
        assertThat(lab.depth(queue.getQueueName())).isEqualTo(100);
    }

    @Test
    @Spec("1.0 §3.5.7")
    void shouldLookWhileOthersConsume(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        Session consuming = connection.createSession();
        consuming.createConsumer(queue).setMessageListener(message -> {
            try {
                got.add(text(message));
            } catch (JMSException e) {
                got.add(e.toString());
            }
        });
        Session browsing = connection.createSession();
        for (int round = 0; round < 20; round++) {
            for (String text : numbers(round * 50 + 1, round * 50 + 50)) {
                producer.send(session.createTextMessage(text));
            }
            List<String> seen = browse(browsing.createBrowser(queue));
            assertThat(seen.stream().map(Integer::valueOf).toList()).isSorted().doesNotHaveDuplicates();
        }
        Lab.until("all are consumed", () -> got.size() == 1_000);
        assertThat(got).containsExactly(numbers(1, 1_000));
        assertThat(browse(browsing.createBrowser(queue))).isEmpty();
    }

    @Test
    @Spec("1.0 §3.5.7")
    void shouldNotLookAtWhatATransactionHolds(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=1");
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        send(session, queue, "not committed");
        Session browsing = connection.createSession();
        assertThat(browse(browsing.createBrowser(queue))).isEmpty();
        session.commit();
        assertThat(browse(browsing.createBrowser(queue))).containsExactly("not committed");
        // A browser in a transacted session takes part in no transaction.
        assertThat(browse(session.createBrowser(queue))).containsExactly("not committed");
        session.rollback();
        assertThat(browse(session.createBrowser(queue))).containsExactly("not committed");
    }
}
