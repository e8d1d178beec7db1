package io.sluicemq.interop.full;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.TestCertificates;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSSecurityRuntimeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.client.AMQConnection;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.exceptions.ClientConnectionSecuritySaslException;
import org.apache.qpid.protonj2.client.exceptions.ClientDeliveryStateException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Clients by TLS, with and without a certificate of their own. */
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+", disabledReason = "needs a broker with TLS of its own")
class TlsTest {

    private static final int WAIT_SECONDS = 20;

    @TempDir
    static Path folder;

    private static TestCertificates certificates;
    private static SluiceMQ broker;

    @BeforeAll
    static void start() throws IOException {
        certificates = TestCertificates.in(folder)
                .add("ann", "CN=ann, O=Shop", "ca")
                .add("nobody", "CN=nobody", "ca");
        Path config = Files.writeString(folder.resolve("broker.yaml"), """
                listeners:
                  amqp: {port: 0}
                  amqps:
                    port: 0
                    tls:
                      certificate: '%s'
                      key: '%s'
                      client-ca: '%s'
                      client-auth: optional
                users:
                  - {name: ann, password: secret}
                """.formatted(certificates.certificate("server"), certificates.key("server"),
                certificates.certificate("ca")));
        broker = SluiceMQ.builder().config(config).start();
    }

    @AfterAll
    static void stop() {
        broker.stop();
    }

    private static ConnectionFactory factory(String certificate) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.port("amqps"));
        factory.useSslProtocol(certificates.client(certificate));
        factory.enableHostnameVerification();
        factory.setUsername("ann");
        factory.setPassword("secret");
        factory.setAutomaticRecoveryEnabled(false);
        return factory;
    }

    private static ConnectionFactory external(String certificate) {
        ConnectionFactory factory = factory(certificate);
        factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
        factory.setPassword("wrong");
        return factory;
    }

    @Test
    void shouldLogInByPassword() throws Exception {
        try (Connection connection = factory(null).newConnection()) {
            carry(connection.createChannel(), 1000, 1000);
        }
        try (Connection connection = factory("nobody").newConnection()) {
            carry(connection.createChannel(), 1, 1);
        }
        ConnectionFactory wrong = factory(null);
        wrong.setPassword("wrong");
        assertThatThrownBy(wrong::newConnection).hasMessageContaining("ACCESS_REFUSED");
    }

    /** RFC 4422 appendix A; the name that was proved is the user's: 0-9-1's user-id is held against it. */
    @Test
    @Spec("0-9-1 connection.start-ok")
    void shouldLogInByCertificate() throws Exception {
        try (Connection connection = external("ann").newConnection()) {
            Channel channel = connection.createChannel();
            carry(channel, 1000, 1000);
            channel.basicPublish("", "nowhere", new BasicProperties.Builder().userId("ann").build(), new byte[1]);
            channel.waitForConfirms(10_000);
            channel.basicPublish("", "nowhere", new BasicProperties.Builder().userId("bob").build(), new byte[1]);
            assertThatThrownBy(() -> channel.waitForConfirms(10_000))
                    .isInstanceOf(ShutdownSignalException.class)
                    .hasMessageContaining("'ann'");
        }
    }

    @Test
    void shouldRefuseACertificateThatIsNoUsersAndAClientWithout() {
        try (var log = new LogCapture()) {
            assertThatThrownBy(() -> external("nobody").newConnection()).hasMessageContaining("EXTERNAL");
            assertThatThrownBy(() -> external(null).newConnection()).isInstanceOf(IOException.class);
            assertThat(log.withTrace()).isEmpty();
        }
    }

    @Test
    void shouldCarryMessagesOfManyMegabytes() throws Exception {
        try (Connection connection = external("ann").newConnection()) {
            carry(connection.createChannel(), 6, 20 << 20);
        }
    }

    /** Publishes with confirms, and consumes meanwhile. */
    private static void carry(Channel channel, int count, int bytes) throws Exception {
        channel.confirmSelect();
        channel.basicQos(10);
        String queue = channel.queueDeclare().getQueue();
        BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
        channel.basicConsume(queue, false, (tag, delivery) -> {
            arrived.add(delivery.getBody());
            channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        }, tag -> {});
        byte[] body = new byte[bytes];
        new Random(count).nextBytes(body);
        for (int i = 0; i < count; i++) {
            body[0] = (byte) i;
            channel.basicPublish("", queue, null, body.clone());
        }
        channel.waitForConfirmsOrDie(TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        for (int i = 0; i < count; i++) {
            body[0] = (byte) i;
            byte[] next = arrived.poll(WAIT_SECONDS, TimeUnit.SECONDS);
            assertThat(next).isNotNull();
            if (!Arrays.equals(next, body)) {
                throw new AssertionError("message " + i + " is not what was sent");
            }
        }
    }

    @Test
    void shouldCloseWhoMistakesThePort() {
        try (var log = new LogCapture()) {
            ConnectionFactory plain = new ConnectionFactory();
            plain.setPort(broker.port("amqps"));
            plain.setHost("127.0.0.1");
            assertThatThrownBy(plain::newConnection).isInstanceOf(IOException.class);
            ConnectionFactory secure = factory(null);
            secure.setPort(broker.port("amqp"));
            assertThatThrownBy(secure::newConnection).isInstanceOf(IOException.class);
            assertThat(log.withTrace()).isEmpty();
        }
    }

    /** The client takes EXTERNAL where it is offered, whatever name and password it was given. */
    @Test
    void shouldLetQpidJmsInByItsCertificate() throws Exception {
        System.setProperty("qpid.amqp.version", "0-91");
        try {
            String url = "amqp://x:y@/?brokerlist='tcp://127.0.0.1:" + broker.port("amqps")
                    + "?ssl='true'&ssl_verify_hostname='false'&trust_store='" + certificates.trustStore()
                    + "'&trust_store_password='" + TestCertificates.PASSWORD + "'&key_store='"
                    + certificates.keyStore("ann") + "'&key_store_password='" + TestCertificates.PASSWORD
                    + "'&retries='0''";
            AMQConnection connection = new AMQConnection(url);
            connection.start();
            assertThat(connection.createSession(false, javax.jms.Session.AUTO_ACKNOWLEDGE)).isNotNull();
            connection.close();
        } finally {
            System.clearProperty("qpid.amqp.version");
        }
    }

    private static JmsConnectionFactory jms(String... options) {
        return new JmsConnectionFactory(
                "amqps://127.0.0.1:" + broker.port("amqps") + "?transport.trustStoreLocation="
                        + certificates.trustStore()
                        + "&transport.trustStorePassword=" + TestCertificates.PASSWORD + String.join("", options));
    }

    private static void carry(JmsConnectionFactory factory, String user, String password) {
        try (JMSContext context = factory.createContext(user, password)) {
            jakarta.jms.Queue queue = context.createTemporaryQueue();
            byte[] body = new byte[3 << 20];
            body[body.length - 1] = 1;
            context.createProducer().send(queue, body);
            assertThat(context.createConsumer(queue).receiveBody(byte[].class, 20_000)).isEqualTo(body);
        }
    }

    @Test
    @Spec("1.0 §5.2")
    void shouldLetClientsOfAmqp10InByPassword() {
        carry(jms(), "ann", "secret");
        assertThatThrownBy(() -> carry(jms(), "ann", "wrong")).isInstanceOf(JMSSecurityRuntimeException.class);
    }

    @Test
    @Spec("1.0 §5.2")
    void shouldLetClientsOfAmqp10InByCertificate() {
        carry(
                jms("&transport.keyStoreLocation=" + certificates.keyStore("ann"),
                        "&transport.keyStorePassword=" + TestCertificates.PASSWORD),
                "x", "wrong");
    }

    private static void carry(ConnectionOptions options, String certificate, String user) throws Exception {
        options.sslOptions().sslEnabled(true).sslContextOverride(certificates.client(certificate));
        try (Client client = Client.create();
                org.apache.qpid.protonj2.client.Connection connection = client.connect(
                        "127.0.0.1", broker.port("amqps"), options.openTimeout(WAIT_SECONDS, TimeUnit.SECONDS))) {
            Receiver receiver = connection.openDynamicReceiver();
            connection.openSender(receiver.address())
                    .send(Message.create("m").userId(user.getBytes(StandardCharsets.UTF_8)))
                    .awaitAccepted(WAIT_SECONDS, TimeUnit.SECONDS);
            assertThat(receiver.receive(WAIT_SECONDS, TimeUnit.SECONDS).<String>message().body()).isEqualTo("m");
        }
    }

    private static ConnectionOptions byMechanism(String mechanism) {
        ConnectionOptions options = new ConnectionOptions();
        options.saslOptions().addAllowedMechanism(mechanism);
        return options;
    }

    /** It takes the first it can of what is offered. The name that was proved is the user's, which a message's user-id is held against. */
    @Test
    @Spec({"1.0 §5.2", "1.0 §5.3.2"})
    void shouldLetProtonInByPasswordOrCertificate() throws Exception {
        carry(new ConnectionOptions().user("ann").password("secret"), null, "ann");
        carry(byMechanism("EXTERNAL"), "ann", "ann");
        assertThatThrownBy(() -> carry(byMechanism("EXTERNAL"), "ann", "bob"))
                .isInstanceOf(ClientDeliveryStateException.class);
        assertThatThrownBy(() -> carry(byMechanism("EXTERNAL"), "nobody", "nobody"))
                .isInstanceOf(ClientConnectionSecuritySaslException.class);
        assertThatThrownBy(() -> carry(byMechanism("EXTERNAL"), null, "ann"))
                .isInstanceOf(ClientConnectionSecuritySaslException.class);
    }
}
