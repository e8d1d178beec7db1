package io.sluicemq.campaign;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.CancelCallback;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DeliverCallback;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurators;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * One client that does valid things at random on a connection of its own and up to four channels, and opens another
 * connection when it has closed or cut the last. One thread runs it; the connection's threads only add to what was delivered
 * and to the {@link Findings}. What another client's deletions may cause is expected; any other refusal, a confirm or answer
 * that does not come, and a message that is settled twice are faults.
 */
final class RandomClient {

    private static final int CHANNELS = 4;
    private static final int ANSWER_LIMIT_MILLIS = 20_000;
    private static final byte[][] BODIES =
            {new byte[0], new byte[10], new byte[1_000], new byte[4_096], new byte[140_000]};

    private enum Mode {
        PLAIN,
        CONFIRM,
        TRANSACTION
    }

    /** A delivery that is not settled; a null id is one that nobody tracks. */
    private record Held(long tag, String queue, String trackedId) {}

    /** A channel, and what is open on it. The deliveries are added by the connection's thread. */
    private static final class Line {
        private final Channel channel;
        private final Mode mode;
        /** Whether it gets messages and has no consumers: so the tags that it holds come in order either way. */
        private final boolean gets;
        private final Queue<Held> held = new ConcurrentLinkedQueue<>();
        private final List<String> consumers = new ArrayList<>();
        private final List<Held> settledUnknown = new ArrayList<>();

        Line(Channel channel, Mode mode, boolean gets) {
            this.channel = channel;
            this.mode = mode;
            this.gets = gets;
        }
    }

    private final BrokerUnderTest broker;
    private final Field field;
    private final Findings findings;
    private final Random random;
    private final String name;
    private final List<Line> lines = new ArrayList<>();
    private Connection connection;
    private Socket socket;
    private String ownQueue;
    /** Set when this client ends its present connection itself, so that its end is no news; each connection has another. */
    private AtomicBoolean leaving = new AtomicBoolean();

    RandomClient(BrokerUnderTest broker, Field field, Findings findings, String name, long seed) {
        this.broker = broker;
        this.field = field;
        this.findings = findings;
        this.name = name;
        this.random = new Random(seed);
    }

    /** Does things until it is told to stop, and then goes, in order or not. Returns early if an answer does not come. */
    void run(BooleanSupplier stopped) {
        while (!stopped.getAsBoolean()) {
            try {
                step();
            } catch (ShutdownSignalException e) {
                // what has closed it is known already
                lines.removeIf(line -> !line.channel.isOpen());
            } catch (IOException e) {
                if (!(e.getCause() instanceof ShutdownSignalException)) {
                    findings.fault(name + ": " + e);
                }
                lines.removeIf(line -> !line.channel.isOpen());
            } catch (TimeoutException | InterruptedException e) {
                findings.fault(name + ": no answer in " + ANSWER_LIMIT_MILLIS + " ms: " + e);
                return;
            }
        }
        try {
            leave();
        } catch (IOException | ShutdownSignalException e) {
            findings.count("connection gone before it was closed");
        }
    }

    private void step() throws IOException, TimeoutException, InterruptedException {
        if (connection == null || !connection.isOpen()) {
            connect();
        }
        if (lines.isEmpty() || lines.size() < CHANNELS && random.nextInt(50) == 0) {
            openChannel();
        }
        Line line = lines.get(random.nextInt(lines.size()));
        int dice = random.nextInt(1_000);
        if (dice < 450) {
            publish(line);
        } else if (dice < 650) {
            settle(line);
        } else if (dice < 760) {
            if (line.gets) {
                get(line);
            } else if (dice < 690) {
                consume(line);
            } else if (dice < 710) {
                cancel(line);
            }
        } else if (dice < 880) {
            changeTopology(line);
        } else if (dice < 940) {
            finish(line);
        } else if (dice < 955) {
            recover(line);
        } else if (dice < 985) {
            closeChannel(line);
        } else if (random.nextInt(4) == 0) {
            leave();
        }
    }

    // ---- connections and channels

    private void connect() throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(broker.host());
        factory.setPort(broker.port());
        factory.setUsername(broker.user());
        factory.setPassword(broker.password());
        factory.setVirtualHost(broker.virtualHost());
        factory.setAutomaticRecoveryEnabled(false);
        factory.setChannelRpcTimeout(ANSWER_LIMIT_MILLIS);
        factory.setConnectionTimeout(ANSWER_LIMIT_MILLIS);
        factory.setHandshakeTimeout(ANSWER_LIMIT_MILLIS);
        factory.setShutdownTimeout(ANSWER_LIMIT_MILLIS);
        factory.setExceptionHandler(new NoComplaints());
        factory.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(opened -> socket = opened));
        AtomicBoolean expected = new AtomicBoolean();
        leaving = expected;
        connection = factory.newConnection(name);
        connection.addShutdownListener(signal -> {
            if (!expected.get()) {
                findings.fault(name + ": the connection ended: " + signal.getMessage());
            }
        });
        lines.clear();
        ownQueue = null;
        findings.count("connect");
    }

    private void openChannel() throws IOException {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new IOException("no channel is free");
        }
        Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
        channel.addShutdownListener(this::channelEnded);
        switch (mode) {
            case CONFIRM -> channel.confirmSelect();
            case TRANSACTION -> channel.txSelect();
            case PLAIN -> {
                // as it is
            }
        }
        channel.addReturnListener(returned -> findings.count("returned"));
        channel.basicQos(1 + random.nextInt(50), random.nextInt(4) == 0);
        lines.add(new Line(channel, mode, random.nextBoolean()));
        findings.count("open channel");
    }

    private void channelEnded(ShutdownSignalException signal) {
        if (signal.isHardError() || signal.isInitiatedByApplication()) {
            return;
        }
        AMQP.Channel.Close close = (AMQP.Channel.Close) signal.getReason();
        String text = close.getReplyText();
        boolean expected = switch (close.getReplyCode()) {
            case AMQP.NOT_FOUND -> true;
            case AMQP.ACCESS_REFUSED -> text.contains("in exclusive use");
            case AMQP.PRECONDITION_FAILED -> text.contains("in use") || text.contains("not empty")
                    || close.getClassId() == 90;
            case AMQP.RESOURCE_ERROR -> close.getClassId() == 90;
            default -> false;
        };
        if (expected) {
            findings.count("refused: " + close.getReplyCode());
        } else {
            findings.fault(name + ": the channel was closed: " + close.getReplyCode() + " " + text);
        }
    }

    private void closeChannel(Line line) throws IOException, TimeoutException {
        lines.remove(line);
        // a close that crosses a refusal would confuse this client's next channel of the same number: refusals come first
        line.channel.exchangeDeclarePassive("amq.direct");
        line.channel.close();
        findings.count("close channel");
    }

    private void leave() throws IOException {
        if (connection == null) {
            return;
        }
        leaving.set(true);
        lines.clear();
        if (random.nextBoolean()) {
            connection.close();
            findings.count("close connection");
        } else {
            socket.setSoLinger(true, random.nextBoolean() ? 0 : 1);
            socket.close();
            findings.count("cut connection");
        }
        connection = null;
    }

    // ---- messages

    private void publish(Line line) throws IOException {
        boolean mandatory = random.nextInt(4) == 0;
        BasicProperties.Builder properties = new BasicProperties.Builder().messageId(findings.nextMessageId())
                .deliveryMode(1 + random.nextInt(2)).priority(random.nextInt(8)).headers(Field.anyHeaders(random));
        if (random.nextInt(10) == 0) {
            properties.expiration(Integer.toString(random.nextInt(500)));
        }
        byte[] body = BODIES[random.nextInt(20) == 0 ? 4 : random.nextInt(4)];
        if (random.nextInt(3) == 0) {
            line.channel.basicPublish(field.anyExchange(random).name(), Field.anyKey(random), mandatory,
                    properties.build(), body);
        } else {
            String queue = ownQueue != null && random.nextInt(4) == 0 ? ownQueue : field.anyQueue(random).name();
            line.channel.basicPublish("", queue, mandatory, properties.build(), body);
        }
        findings.count("publish");
    }

    /** Waits for what is due on a channel: its confirms, or the commit or rollback of its transaction. */
    private void finish(Line line) throws IOException, InterruptedException, TimeoutException {
        switch (line.mode) {
            case CONFIRM -> {
                line.channel.exchangeDeclarePassive("amq.direct");
                findings.count(
                        line.channel.waitForConfirms(ANSWER_LIMIT_MILLIS) ? "confirmed" : "confirmed, some refused");
                known(line);
            }
            case TRANSACTION -> {
                if (random.nextInt(3) == 0) {
                    line.settledUnknown.clear();
                    line.channel.txRollback();
                    // what was settled is held again, by tags that are not known here any more
                    lines.remove(line);
                    line.channel.close();
                    findings.count("roll back");
                } else {
                    line.channel.txCommit();
                    known(line);
                    findings.count("commit");
                }
            }
            case PLAIN -> {
                line.channel.exchangeDeclarePassive("amq.direct");
                known(line);
            }
        }
    }

    /** What was settled on a channel is known to the broker, as it has answered to something later. */
    private void known(Line line) {
        for (Held each : line.settledUnknown) {
            if (each.trackedId != null) {
                findings.settled(each.queue, each.trackedId);
            }
        }
        line.settledUnknown.clear();
    }

    private void get(Line line) throws IOException {
        Field.QueueKind queue = field.anyQueue(random);
        boolean autoAck = random.nextInt(3) == 0;
        GetResponse got = line.channel.basicGet(queue.name(), autoAck);
        if (line.mode != Mode.TRANSACTION) {
            known(line);
        }
        if (got == null) {
            findings.count("get nothing");
            return;
        }
        arrived(line, queue, got.getEnvelope().getDeliveryTag(), got.getProps(), autoAck);
        findings.count("get");
    }

    private void arrived(Line line, Field.QueueKind queue, long tag, BasicProperties properties, boolean autoAck) {
        String id = queue != null && queue.tracked() ? properties.getMessageId() : null;
        if (!autoAck) {
            line.held.add(new Held(tag, queue == null ? null : queue.name(), id));
        } else if (id != null) {
            findings.settled(queue.name(), id);
        }
    }

    private void consume(Line line) throws IOException {
        if (line.consumers.size() >= 3) {
            return;
        }
        boolean own = ownQueue != null && random.nextInt(4) == 0;
        Field.QueueKind queue = own ? null : field.anyQueue(random);
        boolean autoAck = random.nextInt(4) == 0;
        DeliverCallback deliver = (tag, delivery) -> {
            arrived(line, queue, delivery.getEnvelope().getDeliveryTag(), delivery.getProperties(), autoAck);
            findings.count("delivered");
        };
        CancelCallback cancelled = tag -> findings.count("cancelled by the broker");
        Map<String, Object> arguments = random.nextInt(3) == 0 ? Map.of("x-priority", random.nextInt(3)) : Map.of();
        boolean exclusive =
                random.nextInt(10) == 0 && (own || !queue.arguments().containsKey("x-single-active-consumer"));
        line.consumers
                .add(line.channel.basicConsume(own ? ownQueue : queue.name(), autoAck, "", false, exclusive, arguments,
                        deliver, cancelled));
        findings.count("consume");
    }

    private void cancel(Line line) throws IOException {
        if (!line.consumers.isEmpty()) {
            String tag = line.consumers.remove(random.nextInt(line.consumers.size()));
            try {
                line.channel.basicCancel(tag);
                findings.count("cancel");
            } catch (IOException e) {
                // the client has forgotten a consumer that the broker has cancelled
                if (!"Unknown consumerTag".equals(e.getMessage())) {
                    throw e;
                }
            }
        }
    }

    private void settle(Line line) throws IOException {
        Held first = line.held.poll();
        if (first == null) {
            return;
        }
        boolean multiple = random.nextInt(4) == 0;
        switch (random.nextInt(8)) {
            case 0 -> {
                line.channel.basicNack(first.tag, false, true);
                findings.count("requeue");
            }
            case 1 -> {
                line.channel.basicReject(first.tag, true);
                findings.count("requeue");
            }
            case 2 -> {
                line.channel.basicReject(first.tag, false);
                line.settledUnknown.add(first);
                findings.count("reject");
            }
            default -> {
                // several: the tags of one channel come in order, so all before the last are settled with it
                Held last = first;
                line.settledUnknown.add(first);
                for (int more = multiple ? random.nextInt(20) : 0; more > 0; more--) {
                    Held next = line.held.poll();
                    if (next == null) {
                        break;
                    }
                    last = next;
                    line.settledUnknown.add(next);
                }
                line.channel.basicAck(last.tag, multiple);
                findings.count(multiple ? "acknowledge several" : "acknowledge");
            }
        }
    }

    private void recover(Line line) throws IOException {
        if (line.mode != Mode.TRANSACTION) {
            // deliveries that are under way to this client come to be held later, by tags that are gone
            lines.remove(line);
            line.channel.basicRecover(true);
            line.channel.exchangeDeclarePassive("amq.direct");
            line.channel.abort();
            findings.count("recover");
        }
    }

    // ---- topology

    private void changeTopology(Line line) throws IOException {
        Channel channel = line.channel;
        Field.QueueKind queue = field.anyQueue(random);
        Field.ExchangeKind exchange = field.anyExchange(random);
        int dice = random.nextInt(100);
        if (dice < 35) {
            queue.declare(channel);
            findings.count("declare queue");
        } else if (dice < 50) {
            exchange.declare(channel);
            findings.count("declare exchange");
        } else if (dice < 72) {
            queue.declare(channel);
            exchange.declare(channel);
            channel.queueBind(queue.name(), exchange.name(), Field.anyBindingKey(random),
                    Field.anyBindingArguments(random));
            findings.count("bind");
        } else if (dice < 78) {
            channel.queueUnbind(queue.name(), exchange.name(), Field.anyBindingKey(random));
            findings.count("unbind");
        } else if (dice < 82) {
            channel.exchangeBind(exchange.name(), field.anyExchange(random).name(), Field.anyBindingKey(random));
            findings.count("bind exchange");
        } else if (dice < 85) {
            channel.exchangeUnbind(exchange.name(), field.anyExchange(random).name(), Field.anyBindingKey(random));
            findings.count("unbind exchange");
        } else if (dice < 88) {
            channel.queuePurge(queue.name());
            findings.count("purge");
        } else if (dice < 92) {
            channel.queueDelete(queue.name(), random.nextInt(4) == 0, random.nextInt(4) == 0);
            findings.count("delete queue");
        } else if (dice < 94) {
            channel.exchangeDelete(exchange.name(), random.nextInt(4) == 0);
            findings.count("delete exchange");
        } else if (ownQueue == null) {
            ownQueue =
                    channel.queueDeclare("", false, true, random.nextBoolean(), Map.of("x-max-length", 100)).getQueue();
            findings.count("declare own queue");
        } else {
            channel.queueDelete(ownQueue);
            ownQueue = null;
            findings.count("delete own queue");
        }
    }
}
