package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.Transaction;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a client wants to happen together. At the commit each queue that may refuse is asked to promise room for all its
 * messages; only when all have promised is anything done, so that a refusal leaves no trace. Owned by the client's loop.
 */
@LoopOwned
final class TransactionWork implements Transaction {

    private record Settlement(List<Delivery> deliveries, Delivery.Outcome outcome) {}

    private final ConnectedClient client;
    private Map<QueueProxy, List<Message>> publishes = new LinkedHashMap<>();
    private List<Settlement> settlements = new ArrayList<>();
    /** Bytes of messages held here, each counted once. */
    private long heldBytes;

    TransactionWork(ConnectedClient client) {
        this.client = client;
    }

    @Override
    public int publish(Message message) {
        if (message.exchange().isEmpty()
                && message.routingKey().startsWith(io.sluicemq.api.Client.ReplyAddress.PREFIX)) {
            // A reply goes by no queue and can be neither promised nor taken back.
            return client.publish(message, null);
        }
        int found = client.find(message);
        if (found > 0) {
            heldBytes += message.sizeBytes();
            client.context().messageBytes(message.sizeBytes());
            QueueProxy[] targets = client.found();
            if (found > 1) {
                message.share(found);
            }
            for (int i = 0; i < found; i++) {
                publishes.computeIfAbsent(targets[i], queue -> new ArrayList<>()).add(message);
            }
        }
        return found;
    }

    @Override
    public void settle(List<Delivery> deliveries, Delivery.Outcome outcome) {
        settlements.add(new Settlement(List.copyOf(deliveries), outcome));
    }

    private void letGoOfMemory() {
        client.context().messageBytes(-heldBytes);
        heldBytes = 0;
    }

    @Override
    public void discard() {
        letGoOfMemory();
        publishes = new LinkedHashMap<>();
        settlements = new ArrayList<>();
    }

    @Override
    public void commit(Reply<Void> reply) {
        LoopContext here = client.context();
        Map<QueueProxy, List<Message>> work = publishes;
        List<Settlement> ends = settlements;
        publishes = new LinkedHashMap<>();
        settlements = new ArrayList<>();
        List<QueueProxy> promised = new ArrayList<>();
        Completion promises = new Completion(here.loop) {
            @Override
            protected void complete(BrokerError refusal) {
                letGoOfMemory();
                if (refusal != null) {
                    for (QueueProxy proxy : promised) {
                        proxy.run(here, () -> proxy.queue().withdraw(work.get(proxy)));
                    }
                    reply.failed(refusal);
                } else {
                    carryOut(work, ends, reply);
                }
            }
        };
        for (Map.Entry<QueueProxy, List<Message>> each : work.entrySet()) {
            QueueProxy proxy = each.getKey();
            if (!proxy.queue().options().rejectsOverflow()) {
                continue;
            }
            promises.hold();
            proxy.run(here, () -> {
                BrokerError error = proxy.queue().promise(each.getValue());
                if (error != null) {
                    promises.refused(proxy.home().loop, error);
                } else {
                    proxy.home().loop.send(here.loop, () -> promised.add(proxy));
                    promises.met(proxy.home().loop);
                }
            });
        }
        promises.handedOut();
    }

    private void carryOut(Map<QueueProxy, List<Message>> work, List<Settlement> ends, Reply<Void> reply) {
        LoopContext here = client.context();
        Completion done = new Completion(here.loop) {
            @Override
            protected void complete(BrokerError refusal) {
                reply.done(null);
            }
        };
        for (List<Message> messages : work.values()) {
            here.tally.published += messages.size();
        }
        work.values().stream().flatMap(List::stream).filter(Message::isShared).distinct()
                .forEach(message -> here.messageBytes(message.sizeBytes()));
        for (Map.Entry<QueueProxy, List<Message>> each : work.entrySet()) {
            QueueProxy proxy = each.getKey();
            done.hold();
            proxy.run(here, () -> {
                proxy.queue().enqueuePromised(each.getValue());
                done.met(proxy.home().loop);
            });
        }
        for (Settlement settlement : ends) {
            for (Delivery delivery : settlement.deliveries()) {
                delivery.settle(settlement.outcome());
            }
        }
        done.handedOut();
    }
}
