package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Published;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A tenant: its own exchanges, queues and bindings. Any loop reads its published {@link RoutingTable}; its {@link Topology},
 * on one loop, is the only writer.
 */
final class VirtualHost {

    private final String name;
    private final Published<RoutingTable<QueueProxy>> table = new Published<>(RoutingTable.withDefaults());
    private final Topology topology;
    private final LoopContext home;
    private final HostEffects[] effects;
    private final BrokerConfig config;
    /** Changes that wait for room in the log, in their order. */
    private final ArrayDeque<Runnable> postponed = new ArrayDeque<>(0);
    private boolean stillNoRoom;
    private final int queueIdStep;
    private long nextQueueId;

    /**
     * @param firstQueueId the number of its first new queue in the log
     * @param queueIdStep how far the next one is from that, so that no other virtual host has the same
     */
    VirtualHost(
            String name, LoopContext home, LoopContext[] contexts, BrokerConfig config, long firstQueueId,
            int queueIdStep) {
        this.name = name;
        this.home = home;
        this.config = config;
        this.nextQueueId = firstQueueId;
        this.queueIdStep = queueIdStep;
        this.effects = new HostEffects[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            effects[i] = new HostEffects(this, contexts[i]);
        }
        home.firstInRoom(this::room);
        this.topology = new Topology(this, home, contexts, table, config.names());
    }

    String name() {
        return name;
    }

    LoopContext home() {
        return home;
    }

    /** A number that no queue ever had; on the topology's loop. */
    long newQueueId() {
        long id = nextQueueId;
        nextQueueId += queueIdStep;
        return id;
    }

    /** No queue has a higher number yet; on the topology's loop. */
    long highestQueueId() {
        return nextQueueId;
    }

    Function<String, MessageFormat> formats() {
        return config::format;
    }

    boolean hasWitness() {
        return home.hasWitness();
    }

    /** Has the witness, if there is one, look at a command. */
    void witness(Witness.Command command, Completion completion) {
        home.witness(command, completion);
    }

    /** Its topology, for what the loop of that has to do. */
    Topology topology() {
        return topology;
    }

    /** The topology as it is now. */
    RoutingTable<QueueProxy> table() {
        return table.get();
    }

    /** The effects of this host's queues on the loop of that index. */
    HostEffects effects(int loopIndex) {
        return effects[loopIndex];
    }

    /** Does {@code task} with the topology, on its loop. */
    void change(Loop here, Consumer<Topology> task) {
        here.send(home.loop, () -> {
            if (postponed.isEmpty()) {
                task.accept(topology);
            } else {
                postponed.addLast(() -> task.accept(topology));
            }
        });
    }

    /** On the topology's loop: what comes after {@code task} waits with it, until there may be room in the log. */
    void postpone(Runnable task) {
        postponed.addFirst(task);
        stillNoRoom = true;
    }

    private void room() {
        stillNoRoom = false;
        while (!postponed.isEmpty() && !stillNoRoom) {
            postponed.pollFirst().run();
        }
    }

    /** From {@code here}, the queue's loop: a queue has ended. */
    void queueRemoved(Loop here, Queue queue) {
        here.send(home.loop, () -> topology.queueRemoved(queue));
    }

    /** Answers by way of the topology's loop, so that what was sent there before is in the table when the answer arrives. */
    <T> void answerAfterRemoval(Loop here, Relay<T> relay, T result) {
        here.send(home.loop, () -> relay.done(home.loop, result));
    }

    BrokerError noQueue(String queue) {
        return new BrokerError.NotFound(BrokerError.Kind.QUEUE, queue, name);
    }

    BrokerError noExchange(String exchange) {
        return new BrokerError.NotFound(BrokerError.Kind.EXCHANGE, exchange, name);
    }
}
