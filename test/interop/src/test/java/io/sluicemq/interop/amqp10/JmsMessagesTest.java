package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of all types with Qpid JMS, small and large, to itself and exchanged with clients of AMQP 0-9-1. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class JmsMessagesTest {

    private static void setAll(Message message) throws JMSException {
        message.setBooleanProperty("boolean", true);
        message.setByteProperty("byte", Byte.MIN_VALUE);
        message.setShortProperty("short", Short.MAX_VALUE);
        message.setIntProperty("int", Integer.MIN_VALUE);
        message.setLongProperty("long", Long.MAX_VALUE);
        message.setFloatProperty("float", Float.MIN_NORMAL);
        message.setDoubleProperty("double", Math.PI);
        message.setStringProperty("string", "gr\u00fc\u00dfe \u65e5\u672c \ud83d\ude00");
        message.setStringProperty("empty", "");
        message.setObjectProperty("null", null);
        message.setStringProperty("JMSXGroupID", "group");
        message.setIntProperty("JMSXGroupSeq", 42);
        message.setJMSType("type");
        message.setJMSCorrelationID("correlation");
        message.setJMSReplyTo(new JmsQueue("replies"));
    }

    private static List<Object> names(Enumeration<?> each) {
        List<Object> names = new ArrayList<>();
        while (each.hasMoreElements()) {
            names.add(each.nextElement());
        }
        names.remove("JMSXDeliveryCount");
        return names;
    }

    private static void shouldHaveAll(Message message, Message sent) throws JMSException {
        assertThat(message.getBooleanProperty("boolean")).isTrue();
        assertThat(message.getByteProperty("byte")).isEqualTo(Byte.MIN_VALUE);
        assertThat(message.getShortProperty("short")).isEqualTo(Short.MAX_VALUE);
        assertThat(message.getIntProperty("int")).isEqualTo(Integer.MIN_VALUE);
        assertThat(message.getLongProperty("long")).isEqualTo(Long.MAX_VALUE);
        assertThat(message.getFloatProperty("float")).isEqualTo(Float.MIN_NORMAL);
        assertThat(message.getDoubleProperty("double")).isEqualTo(Math.PI);
        assertThat(message.getStringProperty("string")).isEqualTo("gr\u00fc\u00dfe \u65e5\u672c \ud83d\ude00");
        assertThat(message.getStringProperty("empty")).isEmpty();
        assertThat(message.propertyExists("null")).isTrue();
        assertThat(message.getObjectProperty("null")).isNull();
        for (String name : List.of("boolean", "byte", "short", "int", "long", "float", "double", "string")) {
            assertThat(message.getObjectProperty(name)).hasSameClassAs(sent.getObjectProperty(name));
        }
        assertThat(names(message.getPropertyNames())).containsExactlyInAnyOrderElementsOf(
                names(sent.getPropertyNames()));
        assertThat(message.getStringProperty("JMSXGroupID")).isEqualTo("group");
        assertThat(message.getIntProperty("JMSXGroupSeq")).isEqualTo(42);
        assertThat(message.getJMSType()).isEqualTo("type");
        assertThat(message.getJMSCorrelationID()).isEqualTo("correlation");
        assertThat(message.getJMSReplyTo()).isEqualTo(new JmsQueue("replies"));
        assertThat(message.getJMSMessageID()).isEqualTo(sent.getJMSMessageID());
        assertThat(message.getJMSTimestamp()).isEqualTo(sent.getJMSTimestamp());
        assertThat(message.getJMSDestination()).isEqualTo(sent.getJMSDestination());
        assertThat(message.getJMSDeliveryMode()).isEqualTo(sent.getJMSDeliveryMode());
        assertThat(message.getJMSPriority()).isEqualTo(sent.getJMSPriority());
        assertThat(message.getJMSExpiration()).isEqualTo(sent.getJMSExpiration());
    }

    @ParameterizedTest
    @CsvSource({"2, false", "1, false", "2, true"})
    @Spec({"1.0 §3.2", "1.0 §3.2.4", "1.0 §3.2.5"})
    void shouldKeepMessagesOfAllTypes(int deliveryMode, boolean restarts, @TempDir Path data) throws Exception {
        Queue queue = new JmsQueue("orders");
        List<Message> sent = new ArrayList<>();
        EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")));
        Lab lab = Lab.at(broker);
        try {
            Session session = JmsClient.connect(lab).createSession();
            TextMessage text = session.createTextMessage("a text \u00fc \ud83d\ude00\u0000");
            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes(new byte[] {0, 1, -1, 127, -128});
            bytes.writeUTF("utf");
            bytes.writeDouble(1.5);
            MapMessage map = session.createMapMessage();
            map.setInt("int", 1);
            map.setString("string", "s");
            map.setBytes("bytes", new byte[] {1, 2, 3});
            map.setChar("char", '\u20ac');
            map.setBoolean("boolean", false);
            map.setObject("null", null);
            StreamMessage stream = session.createStreamMessage();
            stream.writeLong(5);
            stream.writeString("string");
            stream.writeBytes(new byte[] {9, 8});
            stream.writeObject(null);
            ObjectMessage object = session.createObjectMessage(new Date(12345));
            MessageProducer producer = session.createProducer(queue);
            producer.setDeliveryMode(deliveryMode);
            producer.setPriority(6);
            producer.setTimeToLive(100_000);
            for (Message each : List.of(text, bytes, map, stream, object, session.createMessage(),
                    session.createTextMessage(), session.createTextMessage(""), session.createBytesMessage(),
                    session.createObjectMessage())) {
                setAll(each);
                producer.send(each);
                sent.add(each);
            }
            if (restarts) {
                broker.close();
                broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")));
                lab = Lab.at(broker);
            }
            lab.forget("orders");
            MessageConsumer consumer = JmsClient.connect(lab).createSession().createConsumer(queue);
            List<Message> got = new ArrayList<>();
            for (Message each : sent) {
                Message message = receive(consumer);
                shouldHaveAll(message, each);
                assertThat(message).hasSameClassAs(each);
                got.add(message);
            }
            assertThat(text(got.get(0))).isEqualTo("a text \u00fc \ud83d\ude00\u0000");
            BytesMessage gotBytes = (BytesMessage) got.get(1);
            byte[] first = new byte[5];
            assertThat(gotBytes.readBytes(first)).isEqualTo(5);
            assertThat(first).containsExactly(0, 1, -1, 127, -128);
            assertThat(gotBytes.readUTF()).isEqualTo("utf");
            assertThat(gotBytes.readDouble()).isEqualTo(1.5);
            MapMessage gotMap = (MapMessage) got.get(2);
            assertThat(names(gotMap.getMapNames())).hasSize(6);
            assertThat(gotMap.getInt("int")).isEqualTo(1);
            assertThat(gotMap.getString("string")).isEqualTo("s");
            assertThat(gotMap.getBytes("bytes")).containsExactly(1, 2, 3);
            assertThat(gotMap.getChar("char")).isEqualTo('\u20ac');
            assertThat(gotMap.getBoolean("boolean")).isFalse();
            assertThat(gotMap.getObject("null")).isNull();
            StreamMessage gotStream = (StreamMessage) got.get(3);
            assertThat(gotStream.readLong()).isEqualTo(5);
            assertThat(gotStream.readString()).isEqualTo("string");
            assertThat((byte[]) gotStream.readObject()).containsExactly(9, 8);
            assertThat(gotStream.readObject()).isNull();
            assertThat(((ObjectMessage) got.get(4)).getObject()).isEqualTo(new Date(12345));
            assertThat(text(got.get(6))).isNull();
            assertThat(text(got.get(7))).isEmpty();
            assertThat(((BytesMessage) got.get(8)).getBodyLength()).isZero();
            assertThat(((ObjectMessage) got.get(9)).getObject()).isNull();
            lab.leave();
        } finally {
            broker.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 1 << 20, 10 << 20})
    @Spec({"1.0 §2.6.14", "1.0 §2.7.5"})
    void shouldCarryLargeMessages(int bytes, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=2");
        Session session = connection.createSession();
        byte[] body = new byte[bytes];
        new Random(bytes).nextBytes(body);
        MessageProducer producer = session.createProducer(queue);
        for (int deliveryMode : new int[] {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT}) {
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(body);
            producer.send(message, deliveryMode, 4, 0);
        }
        MessageConsumer consumer = session.createConsumer(queue);
        for (int i = 0; i < 2; i++) {
            BytesMessage message = (BytesMessage) receive(consumer);
            assertThat(message.getBodyLength()).isEqualTo(bytes);
            byte[] got = new byte[bytes];
            message.readBytes(got);
            assertThat(Arrays.equals(got, body)).as("bytes identical").isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 1_000, 65_536})
    @Spec({"1.0 §2.7.1", "1.0 §2.6.14"})
    void shouldKeepToSmallFrames(int maxFrame, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "amqp.maxFrameSize=" + maxFrame);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(queue);
        MessageConsumer consumer = session.createConsumer(queue);
        Random random = new Random(maxFrame);
        for (int size : new int[] {0, 1, 100, 400, 450, 500, 512, 1_000, 5_000, 100_000}) {
            byte[] body = new byte[size];
            random.nextBytes(body);
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(body);
            message.setStringProperty("p", "x".repeat(100));
            producer.send(message);
            BytesMessage got = (BytesMessage) receive(consumer);
            byte[] back = new byte[(int) got.getBodyLength()];
            got.readBytes(back);
            assertThat(back).isEqualTo(body);
        }
    }

    @Test
    @Spec("1.0 §3.2.4")
    void shouldTellWhoHasSent(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Session session = JmsClient.connect(lab, "jms.populateJMSXUserID=true").createSession();
        JmsClient.send(session, queue, "m");
        Message message = receive(session.createConsumer(queue));
        assertThat(message.getStringProperty("JMSXUserID")).isEqualTo(lab.broker().user());
    }

    // ---- with clients of AMQP 0-9-1

    @Test
    @Spec({"1.0 §3.2.4", "1.0 §3.2.5", "0-9-1 basic properties"})
    void shouldReachClientsOfAnotherProtocol(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Session session = JmsClient.connect(lab).createSession();
        TextMessage text = session.createTextMessage("gr\u00fc\u00dfe");
        text.setIntProperty("int", 5);
        text.setStringProperty("string", "s");
        text.setBooleanProperty("boolean", true);
        text.setLongProperty("long", 6);
        text.setDoubleProperty("double", 1.5);
        text.setJMSCorrelationID("corr");
        text.setJMSType("kind");
        text.setJMSReplyTo(new JmsQueue("replies"));
        MessageProducer producer = session.createProducer(queue);
        producer.send(text, DeliveryMode.PERSISTENT, 7, 60_000);
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeBytes(new byte[] {0, 1, 2, -1});
        producer.send(bytes, DeliveryMode.NON_PERSISTENT, 4, 0);

        List<GetResponse> got = lab.take(queue.getQueueName());
        assertThat(got).hasSize(2);
        assertThat(Lab.text(got.get(0))).isEqualTo("gr\u00fc\u00dfe");
        BasicProperties properties = got.get(0).getProps();
        Map<String, Object> headers = properties.getHeaders();
        assertThat(headers).containsEntry("int", 5).containsEntry("boolean", true).containsEntry("long", 6L)
                .containsEntry("double", 1.5);
        assertThat(headers.get("string")).hasToString("s").isInstanceOf(LongString.class);
        assertThat(properties.getCorrelationId()).isEqualTo("corr");
        assertThat(properties.getType()).isEqualTo("kind");
        assertThat(properties.getReplyTo()).isEqualTo("replies");
        assertThat(properties.getDeliveryMode()).isEqualTo(2);
        assertThat(properties.getPriority()).isEqualTo(7);
        assertThat(properties.getMessageId()).isEqualTo(text.getJMSMessageID());
        assertThat(properties.getTimestamp().getTime() / 1_000).isEqualTo(text.getJMSTimestamp() / 1_000);
        assertThat(Integer.parseInt(properties.getExpiration())).isBetween(1, 60_000);
        assertThat(got.get(1).getBody()).containsExactly(0, 1, 2, -1);
        assertThat(got.get(1).getProps().getDeliveryMode()).isEqualTo(1);
    }

    @Test
    @Spec({"1.0 §3.2.4", "1.0 §3.2.5", "0-9-1 basic properties"})
    void shouldReadWhatClientsOfAnotherProtocolSend(Lab lab) throws Exception {
        Queue queue = new JmsQueue(lab.queue());
        Date timestamp = new Date(1_700_000_000_000L);
        lab.send(queue.getQueueName(), new BasicProperties.Builder().contentType("text/plain").deliveryMode(2)
                .priority(3).correlationId("corr").messageId("id-1").type("kind").timestamp(timestamp)
                .replyTo("replies").expiration("60000")
                .headers(Lab.table("int", 5, "string", "s", "boolean", true, "long", 6L, "double", 1.5)).build(),
                "gr\u00fc\u00dfe");
        lab.send(queue.getQueueName(), new BasicProperties.Builder().contentType("application/octet-stream").build(),
                "bytes");
        lab.send(queue.getQueueName(), "nothing said");
        MessageConsumer consumer = JmsClient.connect(lab).createSession().createConsumer(queue);
        Message text = receive(consumer);
        assertThat(text(text)).isEqualTo("gr\u00fc\u00dfe");
        assertThat(text.getIntProperty("int")).isEqualTo(5);
        assertThat(text.getStringProperty("string")).isEqualTo("s");
        assertThat(text.getBooleanProperty("boolean")).isTrue();
        assertThat(text.getLongProperty("long")).isEqualTo(6);
        assertThat(text.getDoubleProperty("double")).isEqualTo(1.5);
        assertThat(text.getJMSCorrelationID()).isEqualTo("corr");
        assertThat(text.getJMSMessageID()).endsWith("id-1");
        assertThat(text.getJMSType()).isEqualTo("kind");
        assertThat(text.getJMSTimestamp()).isEqualTo(timestamp.getTime());
        assertThat(text.getJMSPriority()).isEqualTo(3);
        assertThat(text.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(text.getJMSExpiration()).isGreaterThan(System.currentTimeMillis());
        assertThat(((Queue) text.getJMSReplyTo()).getQueueName()).isEqualTo("replies");
        for (String body : List.of("bytes", "nothing said")) {
            BytesMessage bytes = (BytesMessage) receive(consumer);
            byte[] got = new byte[(int) bytes.getBodyLength()];
            bytes.readBytes(got);
            assertThat(new String(got, StandardCharsets.UTF_8)).isEqualTo(body);
        }
    }

    @Test
    @Spec({"1.0 §3.5.4", "0-9-1 queue.declare"})
    void shouldMakeAQueueThatOthersMayDeclare(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Session session = JmsClient.connect(lab).createSession();
        JmsClient.send(session, queue, "m");
        lab.channel().queueDeclare(queue.getQueueName(), true, false, false, null);
        Refusal refusal = Refusal.of(
                () -> lab.channel().queueDeclare(queue.getQueueName(), true, false, false, Map.of("x-max-length", 5)));
        assertThat(refusal.code()).isEqualTo(406);
        assertThat(lab.drain(queue.getQueueName())).containsExactly("m");
    }

    @Test
    @Spec({"1.0 §3.2", "0-9-1 basic properties"})
    void shouldAskAndAnswerOverBothProtocols(Lab lab) throws Exception {
        String requests = lab.queue();
        Channel server = lab.channel();
        server.basicConsume(requests, true, (tag, request) -> server.basicPublish("",
                request.getProperties().getReplyTo(),
                new BasicProperties.Builder().contentType("text/plain")
                        .correlationId(request.getProperties().getMessageId()).build(),
                ("re: " + new String(request.getBody(), StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8)),
                tag -> {
                });
        Session session = JmsClient.connect(lab).createSession();
        Queue replies = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(replies);
        MessageProducer producer = session.createProducer(new JmsQueue(requests));
        for (int i = 0; i < 50; i++) {
            TextMessage request = session.createTextMessage("q" + i);
            request.setJMSReplyTo(replies);
            producer.send(request);
            Message reply = receive(consumer);
            assertThat(text(reply)).isEqualTo("re: q" + i);
            assertThat(reply.getJMSCorrelationID()).isEqualTo(request.getJMSMessageID());
        }
    }

    @Test
    @Spec("1.0 §3.2")
    @Reported("QPID-6404 (Broker-J)")
    void shouldReadMessagesWithoutABody(@TempDir Path data) throws Exception {
        Queue queue = new JmsQueue("orders");
        List<Message> sent = new ArrayList<>();
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            Session session = JmsClient.connect(lab).createSession();
            MessageProducer producer = session.createProducer(queue);
            for (Message each : List.of(session.createMessage(), session.createBytesMessage(),
                    session.createTextMessage(), session.createTextMessage(""), session.createStreamMessage(),
                    session.createMapMessage())) {
                producer.send(each);
                sent.add(each);
            }
            lab.send("orders", new BasicProperties.Builder().deliveryMode(2).build(), "");
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Lab lab = Lab.at(broker);
            lab.forget("orders");
            MessageConsumer consumer = JmsClient.connect(lab).createSession().createConsumer(queue);
            for (Message each : sent) {
                Message message = receive(consumer);
                assertThat(message).hasSameClassAs(each);
                assertThat(message.getJMSMessageID()).isEqualTo(each.getJMSMessageID());
                if (message instanceof TextMessage text) {
                    assertThat(text.getText()).isEqualTo(((TextMessage) each).getText());
                }
            }
            assertThat(((BytesMessage) receive(consumer)).getBodyLength()).isZero();
            lab.leave();
        }
    }
}
