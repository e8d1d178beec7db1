package io.sluicemq.simulation;

import io.sluicemq.api.Client;
import java.util.List;
import java.util.Map;

/** What a {@link Peer} declares, binds, purges and deletes. On its peer's loop. */
final class Declaring {

    private final Peer peer;

    Declaring(Peer peer) {
        this.peer = peer;
    }

    void purges() {
        QueueModel queue = peer.anyQueue();
        peer.later(() -> {
            if (!queue.mayPurge || queue.existence != QueueModel.Existence.YES || queue.temporary) {
                return;
            }
            queue.takerBegins();
            peer.client().purgeQueue(queue.name, peer.new Answer<>("the purge of " + queue, count -> queue.takers--));
        });
    }

    /** Declares all that stays, as far as it isn't there. */
    void declaresAll() {
        peer.later(() -> {
            peer.client().declareExchange(
                    new Client.ExchangeSpec(Ledger.EXCHANGE, "fanout", true, false, false, Map.of()),
                    peer.new Answer<>("an exchange", result -> {}));
            peer.client().declareExchange(
                    new Client.ExchangeSpec(Ledger.TEMPORARY_EXCHANGE, "topic", true, false, false, Map.of()),
                    peer.new Answer<>("an exchange", result -> {}));
            for (QueueModel queue : peer.ledger.queues.values()) {
                if (!queue.temporary) {
                    declare(queue);
                    if (peer.ledger.everywhere().contains(queue)) {
                        bind(queue, Ledger.EXCHANGE, "");
                    }
                }
            }
        });
    }

    private void declare(QueueModel queue) {
        peer.client().declareQueue(
                new Client.QueueSpec(queue.name, queue.durable, false, false, queue.arguments),
                peer.new Answer<>("the declaration of " + queue, status -> queue.existence = QueueModel.Existence.YES));
    }

    private void bind(QueueModel queue, String exchange, String key) {
        queue.changing = true;
        peer.client().bind(
                new Client.BindingSpec(exchange, queue.name, false, key, Map.of()),
                peer.new Answer<>("the binding of " + queue, result -> {
                    queue.bound = true;
                    queue.changing = false;
                }));
    }

    void changesTopology() {
        QueueModel queue = peer.ledger.queue("temporary" + peer.random.nextInt(2));
        peer.later(() -> {
            if (queue.changing) {
                return;
            }
            switch (queue.existence) {
                case UNKNOWN -> {
                    // Its answer comes first.
                }
                case NO -> {
                    queue.existence = QueueModel.Existence.UNKNOWN;
                    declare(queue);
                }
                case YES -> {
                    if (!queue.bound && peer.random.nextBoolean()) {
                        bind(queue, Ledger.TEMPORARY_EXCHANGE, queue.name);
                    } else {
                        delete(queue);
                    }
                }
            }
        });
    }

    private void delete(QueueModel queue) {
        queue.existence = QueueModel.Existence.UNKNOWN;
        queue.bound = false;
        List<Copy> before = List.copyOf(queue.copies.values());
        before.forEach(copy -> copy.mayBeGone = true);
        peer.client().deleteQueue(queue.name, false, false,
                peer.new Answer<>("the deletion of " + queue, count -> peer.ledger.deleted(queue, before)));
    }
}
