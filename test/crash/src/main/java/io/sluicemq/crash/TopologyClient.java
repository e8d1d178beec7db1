package io.sluicemq.crash;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.crash.Topology.Binding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;

/**
 * Declares, binds, unbinds, purges and deletes durable queues and exchanges, one thing at a time, and knows what was
 * answered: after a restart everything must be as it was answered last, but for the one thing that was asked and not
 * answered, which is done or not. Beside those it declares things that no restart may keep. Owned by its thread in the
 * load, by the campaign's between loads.
 */
final class TopologyClient implements Client {

    private static final int NAMES = 5;
    private static final int KEYS = 3;
    private static final int MESSAGES_LIMIT = 20;
    private static final int PRODUCER = 900;
    private static final int PROBES = 901;
    private static final long CONFIRM_MILLIS = 30_000;
    private static final long PAUSE_NANOS = 300_000;
    private static final BasicProperties PERSISTENT = ConfirmingProducer.properties(true);
    private static final BasicProperties TRANSIENT = ConfirmingProducer.properties(false);

    /** Something to ask of the broker. */
    private interface Request {
        void send() throws IOException, InterruptedException, TimeoutException;
    }

    private final Findings findings;
    private final SortedSet<String> fleetingQueues = new TreeSet<>();
    private final SortedSet<String> fleetingExchanges = new TreeSet<>();
    private Topology answered = Topology.EMPTY;
    /** What is so when that which was asked last is done; null if it was answered. */
    private Topology asked;
    private String question = "nothing";
    private long sequence;

    TopologyClient(Findings findings) {
        this.findings = findings;
    }

    @Override
    public void run(Connection connection, Random random) throws IOException, InterruptedException, TimeoutException {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        while (true) {
            if (random.nextInt(10) == 0) {
                declareFleeting(channel, random);
            } else {
                change(channel, random);
            }
            Client.pause(channel, PAUSE_NANOS);
        }
    }

    // ---- changes ---------------------------------------------------------------------------------------------------

    private void change(Channel channel, Random random) throws IOException, InterruptedException, TimeoutException {
        String queue = "queue-" + random.nextInt(NAMES);
        String exchange = "exchange-" + random.nextInt(NAMES);
        Binding binding = new Binding(exchange, "key-" + random.nextInt(KEYS), queue);
        boolean queueThere = answered.queues().containsKey(queue);
        boolean exchangeThere = answered.exchanges().contains(exchange);
        int choice = random.nextInt(100);
        if (choice < 40 && queueThere) {
            publish(channel, queue);
        } else if (choice < 45 && queueThere) {
            ask("delete " + queue, answered.withoutQueue(queue), () -> channel.queueDelete(queue));
        } else if (choice < 48 && queueThere) {
            ask("purge " + queue, answered.withQueue(queue, List.of()), () -> channel.queuePurge(queue));
        } else if (choice < 52 && exchangeThere) {
            ask("delete " + exchange, answered.withoutExchange(exchange), () -> channel.exchangeDelete(exchange));
        } else if (choice < 62 && answered.bindings().contains(binding)) {
            ask("unbind " + binding, answered.withoutBinding(binding),
                    () -> channel.queueUnbind(queue, exchange, binding.key()));
        } else if (choice < 85 && queueThere && exchangeThere) {
            ask("bind " + binding, answered.withBinding(binding),
                    () -> channel.queueBind(queue, exchange, binding.key()));
        } else if (choice < 93) {
            List<Long> messages = answered.queues().getOrDefault(queue, List.of());
            ask("declare " + queue, answered.withQueue(queue, messages),
                    () -> channel.queueDeclare(queue, true, false, false, Map.of()));
        } else {
            ask("declare " + exchange, answered.withExchange(exchange),
                    () -> channel.exchangeDeclare(exchange, "direct", true));
        }
    }

    private void publish(Channel channel, String queue) throws IOException, InterruptedException, TimeoutException {
        List<Long> messages = new ArrayList<>(answered.queues().get(queue));
        if (messages.size() < MESSAGES_LIMIT) {
            long id = Body.id(PRODUCER, ++sequence);
            messages.add(id);
            ask("publish " + Body.name(id) + " to " + queue, answered.withQueue(queue, messages), () -> {
                channel.basicPublish("", queue, PERSISTENT, Body.of(id, Body.MIN_BYTES));
                channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
            });
        }
    }

    private void ask(String what, Topology then, Request request)
            throws IOException, InterruptedException, TimeoutException {
        question = what;
        asked = then;
        request.send();
        answered = then;
        asked = null;
        findings.count("changes of the topology");
    }

    private void declareFleeting(Channel channel, Random random) throws IOException {
        int number = random.nextInt(NAMES);
        String name = switch (random.nextInt(4)) {
            case 0 -> channel.queueDeclare("fleeting-" + number, false, false, false, Map.of()).getQueue();
            case 1 -> channel.queueDeclare("exclusive-" + number, true, true, false, Map.of()).getQueue();
            case 2 -> channel.queueDeclare("leaving-" + number, false, false, true, Map.of()).getQueue();
            default -> null;
        };
        if (name == null) {
            channel.exchangeDeclare("fleeting-exchange-" + number, "fanout", false);
            fleetingExchanges.add("fleeting-exchange-" + number);
        } else {
            fleetingQueues.add(name);
            channel.basicPublish("", name, PERSISTENT, new byte[10]);
            if (!answered.exchanges().isEmpty()) {
                channel.queueBind(name, answered.exchanges().first(), "key-0");
            }
        }
        findings.count("declarations that no restart keeps");
    }

    // ---- restarts --------------------------------------------------------------------------------------------------

    /** Compares what is there after a restart with what was answered. */
    void audit(Connection connection) throws IOException, InterruptedException, TimeoutException {
        Topology found = look(connection);
        if (!found.equals(answered) && !found.equals(asked)) {
            findings.fault("the topology is not as it was answered.\n    found:    " + found + "\n    answered: "
                    + answered + (asked == null ? "" : "\n    or, after '" + question + "': " + asked));
        }
        if (asked != null) {
            findings.count(found.equals(asked)
                    ? "unanswered changes of the topology that were kept"
                    : "unanswered changes of the topology that left no trace");
        }
        for (String queue : fleetingQueues) {
            if (isThere(connection, channel -> channel.queueDeclarePassive(queue))) {
                findings.fault("queue " + queue + " is still there after a restart");
            }
        }
        for (String exchange : fleetingExchanges) {
            if (isThere(connection, channel -> channel.exchangeDeclarePassive(exchange))) {
                findings.fault("exchange " + exchange + " is still there after a restart");
            }
        }
        fleetingQueues.clear();
        fleetingExchanges.clear();
        answered = found;
        asked = null;
    }

    private interface Lookup {
        void at(Channel channel) throws IOException;
    }

    private static boolean isThere(Connection connection, Lookup lookup) throws IOException, TimeoutException {
        Channel channel = connection.createChannel();
        try {
            lookup.at(channel);
            channel.close();
            return true;
        } catch (IOException e) {
            if (e.getCause() instanceof ShutdownSignalException signal
                    && String.valueOf(signal.getReason()).contains("NOT_FOUND")) {
                return false;
            }
            throw e;
        }
    }

    /** Bindings can't be listed: a message for each key of each exchange shows where it goes. */
    private Topology look(Connection connection) throws IOException, InterruptedException, TimeoutException {
        Topology found = Topology.EMPTY;
        List<Binding> probes = new ArrayList<>();
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        for (int i = 0; i < NAMES; i++) {
            String exchange = "exchange-" + i;
            if (isThere(connection, each -> each.exchangeDeclarePassive(exchange))) {
                found = found.withExchange(exchange);
                for (int k = 0; k < KEYS; k++) {
                    channel.basicPublish(exchange, "key-" + k, TRANSIENT,
                            Body.of(Body.id(PROBES, probes.size()), Body.MIN_BYTES));
                    probes.add(new Binding(exchange, "key-" + k, ""));
                }
            }
        }
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        for (int i = 0; i < NAMES; i++) {
            String queue = "queue-" + i;
            if (isThere(connection, each -> each.queueDeclarePassive(queue))) {
                found = readQueue(channel, queue, found, probes);
            }
        }
        // Gives the messages back.
        channel.close();
        return found;
    }

    private static Topology readQueue(Channel channel, String queue, Topology found, List<Binding> probes)
            throws IOException {
        Topology now = found;
        List<Long> messages = new ArrayList<>();
        for (GetResponse got = channel.basicGet(queue, false); got != null; got = channel.basicGet(queue, false)) {
            long id = Body.read(got.getBody());
            if (id >= 0 && Body.producer(id) == PROBES) {
                Binding probe = probes.get((int) Body.sequence(id));
                now = now.withBinding(new Binding(probe.exchange(), probe.key(), queue));
                channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
            } else {
                messages.add(id);
            }
        }
        return now.withQueue(queue, messages);
    }
}
