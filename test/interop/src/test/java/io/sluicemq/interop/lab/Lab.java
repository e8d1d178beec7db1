package io.sluicemq.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurators;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.campaign.BrokerLog;
import io.sluicemq.campaign.BrokerUnderTest;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.Presence;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What a test works with: connections of the RabbitMQ client, queues and exchanges with names nobody else has, and shorthand
 * for what every test does. The test's thread uses it. Whatever it has opened or declared is gone when it {@link #leave}s.
 */
public final class Lab {

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final String RUN = Long.toString(System.nanoTime() & 0xfffffff, 36);

    private final BrokerUnderTest broker;
    private final boolean rabbitMq;
    private final Map<Connection, Socket> connections = new HashMap<>();
    private final List<AutoCloseable> others = new ArrayList<>();
    private final Deque<String> queues = new ArrayDeque<>();
    private final Deque<String> exchanges = new ArrayDeque<>();
    /** What earlier tests have left by their failure. */
    private final Presence before;

    private Connection main;
    private Channel publisher;
    private Channel admin;
    private boolean limited;

    Lab(BrokerUnderTest broker, boolean rabbitMq) {
        this.broker = broker;
        this.rabbitMq = rabbitMq;
        this.before = broker instanceof EmbeddedBroker embedded ? Presence.of(embedded.counters()) : Presence.NONE;
    }

    /** A place at a broker that the test has started itself. */
    public static Lab at(BrokerUnderTest broker) {
        return new Lab(broker, false);
    }

    /** The name that a broker gives itself. */
    public static String product(BrokerUnderTest broker) {
        try (Connection connection = factory(broker).newConnection()) {
            return String.valueOf(connection.getServerProperties().get("product"));
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("Nobody answers at " + broker.describe(), e);
        }
    }

    private static ConnectionFactory factory(BrokerUnderTest broker) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(broker.host());
        factory.setPort(broker.port());
        factory.setUsername(broker.user());
        factory.setPassword(broker.password());
        factory.setVirtualHost(broker.virtualHost());
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setConnectionTimeout(5_000);
        factory.setHandshakeTimeout(5_000);
        factory.setShutdownTimeout(5_000);
        factory.setChannelRpcTimeout(8_000);
        factory.setRequestedHeartbeat(0);
        return factory;
    }

    /** Where everything happens. */
    public BrokerUnderTest broker() {
        return broker;
    }

    /** Whether the broker is RabbitMQ, for the few details in which it is as right as we are and different. */
    public boolean atRabbitMq() {
        return rabbitMq;
    }

    // ---- connections

    /** A new connection. */
    public Connection connect() throws IOException, TimeoutException {
        return connect(factory -> {
        });
    }

    /** A new connection, with something set otherwise. */
    public Connection connect(Consumer<ConnectionFactory> settings) throws IOException, TimeoutException {
        ConnectionFactory factory = factory(broker);
        Socket[] last = new Socket[1];
        factory.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(socket -> last[0] = socket));
        settings.accept(factory);
        Connection connection = factory.newConnection();
        connections.put(connection, last[0]);
        return connection;
    }

    /** A new channel on the test's main connection. */
    public Channel channel() throws IOException, TimeoutException {
        if (main == null || !main.isOpen()) {
            main = connect();
        }
        return main.createChannel();
    }

    /** Ends a connection's stream without a word of the protocol, as a killed process does. */
    public void cut(Connection connection) throws IOException {
        Socket socket = connections.remove(connection);
        socket.setSoLinger(true, 0);
        socket.close();
        // The client's own thread may not have noticed yet: a close would fail on the socket, an abort doesn't mind.
        others.add(connection::abort);
    }

    /** A connection refused while it was opened. */
    public Refusal refusedConnection(Consumer<ConnectionFactory> settings) {
        return Refusal.of(() -> connect(settings));
    }

    /** A frame-level client that is not connected to the virtual host yet. */
    public RawAmqp dial() throws IOException {
        return closing(RawAmqp.dial(broker));
    }

    /** A frame-level client in the virtual host. */
    public RawAmqp raw() throws IOException {
        return closing(RawAmqp.open(broker));
    }

    /** A frame-level client in the virtual host, with limits of its own. */
    public RawAmqp raw(int channelMax, int frameMax) throws IOException {
        return closing(RawAmqp.open(broker, channelMax, frameMax));
    }

    /** Has something closed when the test is over. */
    public <T extends AutoCloseable> T closing(T other) {
        others.add(other);
        return other;
    }

    // ---- topology

    /** A name that nobody else has. */
    public String name(String hint) {
        return hint + "-" + RUN + "-" + NAMES.incrementAndGet();
    }

    /** A durable queue that any connection may use. */
    public String queue() throws IOException, TimeoutException {
        return queue(Map.of());
    }

    /** A durable queue that any connection may use, with arguments. */
    public String queue(Map<String, Object> arguments) throws IOException, TimeoutException {
        String queue = name("queue");
        admin().queueDeclare(queue, true, false, false, arguments);
        return forget(queue);
    }

    /** Has a queue that the test declares deleted when it is over; returns its name. */
    public String forget(String queue) {
        queues.push(queue);
        return queue;
    }

    /** A transient exchange. */
    public String exchange(BuiltinExchangeType type) throws IOException, TimeoutException {
        return exchange(type.getType(), Map.of());
    }

    /** A transient exchange with arguments. */
    public String exchange(String type, Map<String, Object> arguments) throws IOException, TimeoutException {
        String exchange = name(type);
        admin().exchangeDeclare(exchange, type, false, false, arguments);
        return forgetExchange(exchange);
    }

    /** Has an exchange that the test declares deleted when it is over; returns its name. */
    public String forgetExchange(String exchange) {
        exchanges.push(exchange);
        return exchange;
    }

    /** Binds a queue. */
    public void bind(String queue, String exchange, String key) throws IOException, TimeoutException {
        bind(queue, exchange, key, Map.of());
    }

    public void bind(String queue, String exchange, String key, Map<String, Object> arguments)
            throws IOException, TimeoutException {
        admin().queueBind(queue, exchange, key, arguments);
    }

    /** A queue bound to an exchange. */
    public String boundQueue(String exchange, String key) throws IOException, TimeoutException {
        String queue = queue();
        bind(queue, exchange, key);
        return queue;
    }

    /** How many messages are ready in a queue. */
    public long depth(String queue) throws IOException, TimeoutException {
        return admin().queueDeclarePassive(queue).getMessageCount();
    }

    /** Whether a queue of that name exists. */
    public boolean queueExists(String queue) throws IOException, TimeoutException {
        try {
            admin().queueDeclarePassive(queue);
            return true;
        } catch (IOException e) {
            return !isNotFound(e);
        }
    }

    /** Whether an exchange of that name exists. */
    public boolean exchangeExists(String exchange) throws IOException, TimeoutException {
        try {
            admin().exchangeDeclarePassive(exchange);
            return true;
        } catch (IOException e) {
            return !isNotFound(e);
        }
    }

    private static boolean isNotFound(IOException e) throws IOException {
        if (e.getCause() instanceof ShutdownSignalException signal
                && signal.getReason() instanceof AMQP.Channel.Close close && close.getReplyCode() == AMQP.NOT_FOUND) {
            return true;
        }
        throw e;
    }

    private Channel admin() throws IOException, TimeoutException {
        if (admin == null || !admin.isOpen()) {
            admin = channel();
        }
        return admin;
    }

    // ---- messages

    /** Publishes messages to a queue and waits until the broker has confirmed them. */
    public void send(String queue, String... bodies) throws Exception {
        for (String body : bodies) {
            publisher().basicPublish("", queue, null, bytes(body));
        }
        publisher.waitForConfirmsOrDie(5_000);
    }

    /** Publishes a message with properties to a queue and waits until the broker has confirmed it. */
    public void send(String queue, BasicProperties properties, String body) throws Exception {
        publish("", queue, properties, body);
    }

    /** Publishes a message and waits until the broker has confirmed it. */
    public void publish(String exchange, String key, String body) throws Exception {
        publish(exchange, key, null, body);
    }

    /** Publishes a message with properties and waits until the broker has confirmed it. */
    public void publish(String exchange, String key, BasicProperties properties, String body) throws Exception {
        publisher().basicPublish(exchange, key, properties, bytes(body));
        publisher.waitForConfirmsOrDie(5_000);
    }

    /** Publishes numbered messages from one number to another, both included, and waits until they are confirmed. */
    public void sendNumbers(String queue, int from, int to) throws Exception {
        for (int i = from; i <= to; i++) {
            publisher().basicPublish("", queue, null, bytes(Integer.toString(i)));
        }
        publisher().waitForConfirmsOrDie(5_000);
    }

    private Channel publisher() throws IOException, TimeoutException {
        if (publisher == null || !publisher.isOpen()) {
            publisher = channel();
            publisher.confirmSelect();
        }
        return publisher;
    }

    /** Takes all ready messages from a queue for good, and returns their bodies. */
    public List<String> drain(String queue) throws IOException, TimeoutException {
        return take(queue).stream().map(Lab::text).toList();
    }

    /** Takes all ready messages from a queue for good. */
    public List<GetResponse> take(String queue) throws IOException, TimeoutException {
        List<GetResponse> all = new ArrayList<>();
        for (GetResponse next = admin().basicGet(queue, true); next != null; next = admin.basicGet(queue, true)) {
            all.add(next);
        }
        return all;
    }

    /** Starts a consumer with manual acknowledgement on a new channel. */
    public Mailbox consume(String queue) throws IOException, TimeoutException {
        return consume(channel(), queue, false);
    }

    /** Starts a consumer on a channel. */
    public static Mailbox consume(Channel channel, String queue, boolean autoAck) throws IOException {
        return consume(channel, queue, autoAck, Map.of());
    }

    /** Starts a consumer with arguments on a channel. */
    public static Mailbox consume(Channel channel, String queue, boolean autoAck, Map<String, Object> arguments)
            throws IOException {
        return new Mailbox(channel).open(queue, autoAck, arguments);
    }

    /** A body. */
    public static byte[] bytes(String body) {
        return body.getBytes(StandardCharsets.UTF_8);
    }

    /** A body's text. */
    public static String text(GetResponse response) {
        return new String(response.getBody(), StandardCharsets.UTF_8);
    }

    /** Numbers as bodies, both ends included. */
    public static String[] numbers(int from, int to) {
        String[] numbers = new String[to - from + 1];
        Arrays.setAll(numbers, i -> Integer.toString(from + i));
        return numbers;
    }

    /** A map that may hold null. */
    public static Map<String, Object> table(Object... keysAndValues) {
        Map<String, Object> table = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            table.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return table;
    }

    // ---- full addresses

    /** The broker, if it is in this JVM; the test is skipped if not. */
    private EmbeddedBroker embedded() {
        assumeTrue(broker instanceof EmbeddedBroker, "limits of addresses are set, and looked at, in this JVM only");
        return (EmbeddedBroker) broker;
    }

    /** Gives addresses limits, in place of all others, until the test is over. */
    public void limit(AddressSetting... limits) {
        embedded().addressSettings(List.of(limits));
        limited = true;
    }

    /** The broker's numbers now. */
    public BrokerCounters counters() {
        return embedded().counters();
    }

    /** What an address holds now, and who waits for it. */
    public AddressState address(String name) {
        return embedded().address(name);
    }

    /** Waits until so many publishes wait for room. */
    public void awaitParked(long messages) {
        await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(counters().parkedMessages()).isEqualTo(messages));
    }

    /** Waits for something that happens soon. */
    public static void until(String what, Callable<Boolean> condition) {
        await(what).pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(20)).until(condition);
    }

    // ---- the end

    /** Closes every connection, then deletes what is left. */
    public void leave() throws Exception {
        if (limited) {
            // Whoever waits for room can't close its connection in order.
            embedded().addressSettings(List.of());
        }
        for (AutoCloseable other : others) {
            other.close();
        }
        for (Connection connection : connections.keySet()) {
            close(connection);
        }
        if (!queues.isEmpty() || !exchanges.isEmpty()) {
            try (Connection connection = factory(broker).newConnection();
                    Channel channel = connection.createChannel()) {
                for (String queue : queues) {
                    channel.queueDelete(queue);
                }
                for (String exchange : exchanges) {
                    channel.exchangeDelete(exchange);
                }
            }
        }
        if (broker instanceof EmbeddedBroker embedded) {
            shouldHaveLeftNothing(embedded);
        }
    }

    /** Checks, where it can be seen, that nothing is left at the broker, and that it has met no defect of its own. */
    private void shouldHaveLeftNothing(EmbeddedBroker embedded) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> {
                    Presence left = Presence.of(embedded.counters());
                    assertThat(left.isWithin(before)).as("left %s, of which there was %s before", left, before)
                            .isTrue();
                });
        assertThat(embedded.failedTasks()).as("tasks that failed by a defect").isZero();
        assertThat(embedded.log().takeLines()).as("the broker's log above INFO").noneMatch(BrokerLog.Line::trace);
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (AlreadyClosedException e) {
            // the test was about that
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
