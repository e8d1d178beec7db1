package io.sluicemq.crash;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Has a broker write the data folder that {@link GoldenFolderTest} keeps readable, as {@code folder-FORMAT.zip}. To be run once
 * for a new format number; the archives of earlier ones stay as they are, and each has its test:
 *
 * <pre>
 * java -cp … io.sluicemq.crash.GoldenFolder test/crash/src/test/resources/io/sluicemq/crash/folder-FORMAT.zip
 * </pre>
 *
 * <p>What is in it: one part below the last checkpoint, written before an orderly stop, and one behind it, that ended with a
 * kill.
 */
final class GoldenFolder {

    static final String CONFIG = """
            virtual-hosts: [/, shop]
            storage:
              segment-size: 1MiB
            """;
    static final BasicProperties PERSISTENT = new BasicProperties.Builder().deliveryMode(2).build();
    static final BasicProperties ALL_PROPERTIES = new BasicProperties.Builder()
            .contentType("text/plain")
            .contentEncoding("utf-8")
            .headers(Map.of("number", 7, "text", "käse", "list", List.of(1, 2L, true), "table", Map.of("x", -1)))
            .deliveryMode(2)
            .priority(3)
            .correlationId("correlation")
            .replyTo("reply")
            .messageId("id")
            .timestamp(new Date(1_700_000_000_000L))
            .type("type")
            .userId("guest")
            .appId("app")
            .build();
    /** Longer than a segment. */
    static final int LONG_BYTES = 1_200_000;
    /** The longest time that a queue may be given, so that nothing of it is over when the test runs. */
    static final long LONGEST_MILLIS = 4_294_967_295L;

    private static final int CONFIRM_MILLIS = 30_000;

    private GoldenFolder() {}

    /** The entry: writes the archive to the path that is the only argument. */
    public static void main(String[] arguments) throws Exception {
        Path temp = Files.createTempDirectory("sluicemq-golden-");
        Path data = temp.resolve("data");
        Path config = Files.writeString(temp.resolve("broker.yaml"), CONFIG);
        String[] options = {"--data", data.toString(), "--config", config.toString()};
        try (BrokerProcess broker = BrokerProcess.start(temp.resolve("broker.log"), options)) {
            belowTheCheckpoint(broker.port());
            broker.stop();
        }
        try (BrokerProcess broker = BrokerProcess.start(temp.resolve("broker.log"), options)) {
            behindTheCheckpoint(broker.port());
        }
        pack(data, Path.of(arguments[0]));
    }

    static Connection connect(int port, String virtualHost) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setVirtualHost(virtualHost);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private static Channel confirming(Connection connection) throws IOException {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        return channel;
    }

    /** A body of so many bytes that takes little room in an archive. */
    static byte[] longBody(int bytes) {
        byte[] body = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            body[i] = (byte) (i / 1_000);
        }
        return body;
    }

    static void declareQueues(Channel channel) throws IOException {
        Map<String, Map<String, Object>> queues = Map.of(
                "aged", Map.of("x-message-ttl", 1_000, "x-dead-letter-exchange", "", "x-dead-letter-routing-key",
                        "graves"),
                "leased", Map.of("x-expires", LONGEST_MILLIS),
                "limited", Map.of("x-max-length", 3, "x-overflow", "reject-publish"),
                "bytes", Map.of("x-max-length-bytes", 10),
                "priorities", Map.of("x-max-priority", 5),
                "single", Map.of("x-single-active-consumer", true),
                "quorum", Map.of("x-queue-type", "quorum", "x-delivery-limit", 2, "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "graves"),
                "lazy", Map.of("x-queue-mode", "lazy"));
        for (Map.Entry<String, Map<String, Object>> each : queues.entrySet()) {
            channel.queueDeclare(each.getKey(), true, false, false, each.getValue());
        }
        for (String plain : List.of("graves", "plain", "copies", "properties", "sizes", "transactions", "by-topic",
                "by-header", "unrouted", "delivered", "settled")) {
            channel.queueDeclare(plain, true, false, false, Map.of());
        }
    }

    static void declareExchanges(Channel channel) throws IOException {
        channel.exchangeDeclare("direct", BuiltinExchangeType.DIRECT, true);
        channel.exchangeDeclare("fanout", BuiltinExchangeType.FANOUT, true);
        channel.exchangeDeclare("topic", BuiltinExchangeType.TOPIC, true, false, Map.of("alternate-exchange", "lost"));
        channel.exchangeDeclare("headers", BuiltinExchangeType.HEADERS, true);
        channel.exchangeDeclare("lost", BuiltinExchangeType.FANOUT, true, false, true, Map.of());
    }

    private static void belowTheCheckpoint(int port) throws Exception {
        try (Connection connection = connect(port, "/")) {
            Channel channel = confirming(connection);
            declareQueues(channel);
            declareExchanges(channel);
            channel.queueDeclare("deleted", true, false, false, Map.of());
            channel.queueBind("plain", "direct", "key");
            channel.queueBind("plain", "fanout", "");
            channel.queueBind("copies", "fanout", "");
            channel.queueBind("by-topic", "topic", "a.*.c");
            channel.queueBind("unrouted", "lost", "");
            channel.queueBind("by-header", "headers", "", Map.of("x-match", "all", "colour", "red", "size", 4));
            channel.queueBind("deleted", "direct", "key");
            channel.exchangeBind("topic", "fanout", "");

            channel.basicPublish("direct", "key", PERSISTENT, text("direct"));
            channel.basicPublish("fanout", "", PERSISTENT, text("fanout"));
            channel.basicPublish("", "properties", ALL_PROPERTIES, text("properties"));
            for (int bytes : new int[] {0, 1, 300_000, LONG_BYTES}) {
                channel.basicPublish("", "sizes", PERSISTENT, longBody(bytes));
            }
            for (int i = 0; i < 4; i++) {
                channel.basicPublish("", "priorities", PERSISTENT.builder().priority(i % 2).build(), text("p" + i));
                channel.basicPublish("", "settled", PERSISTENT, text("s" + i));
                channel.basicPublish("", "delivered", PERSISTENT, text("d" + i));
                channel.basicPublish("", "limited", PERSISTENT, text("l" + i));
                channel.basicPublish("", "bytes", PERSISTENT, text("b" + i + "xx"));
            }
            channel.basicPublish("", "quorum", PERSISTENT, text("buried"));
            channel.basicPublish("", "transactions", PERSISTENT, text("t0"));
            channel.waitForConfirms(CONFIRM_MILLIS);
            bury(connection);
            settle(connection, "settled", 1);
        }
        try (Connection connection = connect(port, "shop")) {
            Channel channel = confirming(connection);
            channel.queueDeclare("orders", true, false, false, Map.of());
            channel.exchangeDeclare("topic", BuiltinExchangeType.TOPIC, true);
            channel.queueBind("orders", "topic", "order.#");
            channel.basicPublish("topic", "order.new", PERSISTENT, text("tea"));
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        }
    }

    /** Brings a message back until it is dead, and waits for its letter. */
    private static void bury(Connection connection) throws Exception {
        Channel channel = connection.createChannel();
        Inbox inbox = new Inbox(channel);
        channel.basicConsume("quorum", false, inbox);
        for (int i = 0; i < 3; i++) {
            channel.basicReject(inbox.next(CONFIRM_MILLIS).tag(), true);
        }
        Inbox letters = new Inbox(channel);
        channel.basicConsume("graves", false, letters);
        letters.next(CONFIRM_MILLIS);
        channel.close();
    }

    /** Takes messages for good. */
    private static void settle(Connection connection, String queue, int count) throws Exception {
        Channel channel = connection.createChannel();
        channel.txSelect();
        for (int i = 0; i < count; i++) {
            channel.basicAck(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
        }
        channel.txCommit();
        channel.close();
    }

    private static void behindTheCheckpoint(int port) throws Exception {
        Connection connection = connect(port, "/");
        Channel channel = confirming(connection);
        channel.queueDelete("deleted");
        channel.queueDeclare("later", true, false, false, Map.of("x-max-length", 2));
        channel.queueBind("later", "topic", "#.later");
        channel.queueUnbind("plain", "direct", "key");
        channel.basicPublish("topic", "much.later", PERSISTENT, text("later"));
        channel.basicPublish("", "aged", PERSISTENT, text("aged"));
        channel.basicPublish("", "plain", PERSISTENT.builder().expiration("1000").build(), text("gone"));
        channel.basicPublish("", "single", new BasicProperties(), text("transient"));
        channel.basicPublish("", "single", PERSISTENT, text("for one"));
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        settle(connection, "settled", 1);

        Channel transactions = connection.createChannel();
        transactions.txSelect();
        GetResponse first = transactions.basicGet("transactions", false);
        transactions.basicAck(first.getEnvelope().getDeliveryTag(), false);
        transactions.basicPublish("", "transactions", PERSISTENT, text("t1"));
        transactions.basicPublish("fanout", "", PERSISTENT, text("t2"));
        transactions.txCommit();
        transactions.basicPublish("", "transactions", PERSISTENT, text("never committed"));

        Channel unsettled = connection.createChannel();
        for (int i = 0; i < 2; i++) {
            unsettled.basicGet("delivered", false);
        }
        try (Connection shop = connect(port, "shop")) {
            Channel other = confirming(shop);
            other.basicPublish("topic", "order.more", PERSISTENT, text("coffee"));
            other.waitForConfirmsOrDie(CONFIRM_MILLIS);
        }
        // Behind the deliveries, and synced.
        channel.basicPublish("", "copies", PERSISTENT, text("last"));
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
    }

    static byte[] text(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    /** Everything but the lock file. */
    private static void pack(Path data, Path archive) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive));
                Stream<Path> files = Files.walk(data)) {
            zip.setLevel(9);
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = data.relativize(file).toString();
                if (!name.endsWith(".lock")) {
                    zip.putNextEntry(new ZipEntry(name));
                    zip.write(Files.readAllBytes(file));
                    zip.closeEntry();
                }
            }
        }
        System.out.println(archive + ": " + Files.size(archive) + " bytes");
    }

    /** Lays an archive out in a folder. */
    static void unpack(String archive, Path data) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(GoldenFolder.class.getResourceAsStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = data.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.write(file, zip.readAllBytes());
            }
        }
    }
}
