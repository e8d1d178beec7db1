package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueConsumer;
import io.sluicemq.broker.queue.QueueEntry;

/** A consumer on its client's side: what the client says of it goes to the queue's loop. */
@LoopOwned
final class ConsumerPort implements Consumer {

    private final ConnectedClient client;
    private final QueueProxy proxy;
    private final QueueConsumer consumer;
    private final ConsumerSink sink;

    ConsumerPort(ConnectedClient client, QueueProxy proxy, QueueConsumer consumer, ConsumerSink sink) {
        this.client = client;
        this.proxy = proxy;
        this.consumer = consumer;
        this.sink = sink;
    }

    /** The name of its queue. */
    String queue() {
        return consumer.spec().queue();
    }

    /** What its user may do has perhaps changed: it ends if they may not read there any more. Has no answer. */
    Void accessChanged() {
        BrokerError.AccessRefused refusal = client.has(this) ? client.readRefusal(queue()) : null;
        if (refusal != null) {
            revoke(refusal.reason());
        }
        return null;
    }

    private void revoke(String reason) {
        client.forget(this);
        proxy.run(client.context(), () -> {
            if (proxy.queue().revoke(consumer)) {
                proxy.queue().loop().send(client.loop(), () -> sink.revoked(reason));
            }
        });
    }

    @Override
    public void cancel(Reply<Void> reply) {
        client.forget(this);
        Relay<Void> relay = new Relay<>(client.loop(), reply);
        proxy.run(client.context(), () -> {
            Queue queue = proxy.queue();
            queue.cancel(consumer);
            if (queue.isRemoved()) {
                // It went with its last consumer: the answer takes the way of the news, to come after it.
                client.host().answerAfterRemoval(queue.loop(), relay, null);
            } else {
                relay.done(queue.loop(), null);
            }
        });
    }

    @Override
    public void grant(int messages) {
        proxy.run(client.context(), () -> proxy.queue().grant(consumer, messages));
    }

    @Override
    public void limit(long deliveries) {
        requireLimit();
        proxy.run(client.context(), () -> proxy.queue().limit(consumer, deliveries));
    }

    @Override
    public void drain(Reply<Void> reply) {
        requireLimit();
        Relay<Void> relay = new Relay<>(client.loop(), reply);
        proxy.run(client.context(), () -> {
            Queue queue = proxy.queue();
            queue.drain(consumer, () -> relay.done(queue.loop(), null));
        });
    }

    private void requireLimit() {
        if (consumer.spec().credit() != ConsumerSpec.Credit.LIMIT) {
            throw new IllegalStateException("the consumer " + consumer.spec().tag() + " has no limit");
        }
    }

    @Override
    public void refuse(Delivery delivery, Reply<Void> reply) {
        Relay<Void> relay = new Relay<>(client.loop(), reply);
        proxy.run(client.context(), () -> {
            Queue queue = proxy.queue();
            if (delivery.origin() instanceof QueueEntry entry) {
                queue.refuse(consumer, entry);
            }
            relay.done(queue.loop(), null);
        });
    }

    @Override
    public void written(long bytes) {
        proxy.run(client.context(), () -> proxy.queue().written(consumer, bytes));
    }

    @Override
    public void pause(Pause pause) {
        proxy.run(client.context(), () -> proxy.queue().pause(consumer, pause));
    }
}
