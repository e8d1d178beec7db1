package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.api.operate.MoveTarget;
import io.sluicemq.api.operate.Moved;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Messages that an operator has moved from one queue to elsewhere: a batch of them is taken, and leaves its queue and enters others in one
 * transaction, so that a message is always in exactly one of both. Owned by its client's loop.
 *
 * <p>Invariant: what was taken is settled by a commit that has succeeded, or given back to its place.
 */
@LoopOwned
final class MovingMessages {

    /** So many messages, or so many bytes of them, move together. */
    private static final int BATCH = 100;

    private static final long BATCH_BYTES = 4L << 20;
    /** After so long it ends with what it has moved by then, and again later is told how many that were. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** So long a batch waits for room where it is to go. */
    private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** So many that can't go anywhere are kept out of the way, and then it ends. */
    private static final int MOST_LEFT = 1000;

    /** So many are taken in one turn. */
    private static final int STEPS = 50;

    private final Acts.Act<Moved> act;
    private final String queue;
    private final MoveTarget to;
    private final long beganNanos;
    private long wanted;
    private long moved;
    private final List<Delivery> batch = new ArrayList<>();
    private long batchBytes;
    /** Those that stay, for good reasons. */
    private final List<Delivery> left = new ArrayList<>();
    private boolean ended;

    MovingMessages(Acts.Act<Moved> act, String queue, long most, MoveTarget to) {
        this.act = act;
        this.queue = queue;
        this.to = to;
        this.wanted = most;
        this.beganNanos = act.loop().nanoTime();
    }

    void begin() {
        if (act.isShort()) {
            return;
        }
        if (to instanceof MoveTarget.To(String exchange, String key) && exchange.isEmpty() && key.equals(queue)) {
            act.failed(new BrokerError.NotAllowed(
                    BrokerError.Kind.QUEUE, queue, act.client().virtualHost(),
                    "its messages are there already: they can't be moved onto itself"));
            return;
        }
        // Of those that are there now: what is moved to the same queue again would never end.
        act.client().findQueue(queue, act.then(status -> {
            wanted = Math.min(wanted, status.readyMessages());
            act.loop().schedule(LONGEST_NANOS, this::takesTooLong);
            take();
        }));
    }

    /** A commit may wait for room: it fails by that, and its messages stay. */
    private void takesTooLong() {
        if (!ended && !act.isOver()) {
            act.client().entrance().giveUp(LONGEST_NANOS);
        }
    }

    private void take() {
        if (act.isOver()) {
            giveBack();
            return;
        }
        if (moved + left.size() + batch.size() >= wanted || batch.size() >= BATCH || batchBytes >= BATCH_BYTES) {
            commit();
            return;
        }
        act.client().get(queue, false, new Reply<>() {
            @Override
            public void done(Delivery delivery) {
                act.guarded(() -> taken(delivery));
            }

            @Override
            public void failed(BrokerError error) {
                end(words(error), error);
            }
        });
    }

    private void taken(Delivery delivery) {
        if (delivery == null) {
            wanted = moved + left.size() + batch.size(); // others have taken the rest
            take();
            return;
        }
        if (to instanceof MoveTarget.WhereTheyDied && delivery.message().deaths().isEmpty()) {
            left.add(delivery);
            if (left.size() > MOST_LEFT) {
                wanted = moved + left.size() + batch.size();
            }
        } else {
            batch.add(delivery);
            batchBytes += delivery.message().sizeBytes();
        }
        if (act.isOver()) {
            giveBack();
        } else if ((left.size() + batch.size()) % STEPS == 0) {
            act.loop().execute(() -> act.guarded(this::take));
        } else {
            take();
        }
    }

    private void commit() {
        if (batch.isEmpty()) {
            end("", null);
            return;
        }
        if (to instanceof MoveTarget.To(String exchange, String routingKey)) {
            BrokerError refusal = act.client().publishRefusal(exchange, routingKey);
            if (refusal != null) {
                end(words(refusal), refusal);
                return;
            }
        }
        Client.Transaction transaction = act.client().begin();
        for (Delivery each : batch) {
            if (!publish(transaction, each.message())) {
                transaction.discard();
                end("no queue is reached by one of its messages: it and those behind it stay",
                        new BrokerError.NotAllowed(
                                BrokerError.Kind.QUEUE, queue, act.client().virtualHost(),
                                "no queue is reached by its messages"));
                return;
            }
        }
        transaction.settle(batch, Delivery.Outcome.ACCEPTED);
        Loop.Timer patience =
                act.loop().schedule(ROOM_NANOS, () -> act.client().entrance().giveUp(ROOM_NANOS));
        transaction.commit(new Reply<>() {
            @Override
            public void done(Void result) {
                patience.cancel();
                moved += batch.size();
                batch.clear();
                batchBytes = 0;
                if (moved + left.size() >= wanted) {
                    end("", null);
                } else if (act.loop().nanoTime() - beganNanos >= LONGEST_NANOS) {
                    end("it has taken its time: ask again for the rest", null);
                } else {
                    act.loop().execute(() -> act.guarded(MovingMessages.this::take));
                }
            }

            @Override
            public void failed(BrokerError error) {
                patience.cancel();
                end(words(error), error);
            }
        });
    }

    private boolean publish(Client.Transaction transaction, Message message) {
        return switch (to) {
            case MoveTarget.To there -> transaction.publish(sent(message, there.exchange(), there.routingKey())) > 0;
            case MoveTarget.WhereTheyDied back -> {
                Death latest = message.deaths().getFirst();
                yield transaction.publish(sent(message, "", latest.queue())) > 0
                        || !latest.routingKeys().isEmpty()
                                && transaction.publish(
                                        sent(message, latest.exchange(), latest.routingKeys().getFirst())) > 0;
            }
        };
    }

    private static Message sent(Message message, String exchange, String routingKey) {
        if (!message.deaths().isEmpty()) {
            return message.afterDeath(exchange, routingKey, List.of(), message.deaths());
        }
        return new Message(
                message.format(), exchange, routingKey, List.of(), message.header(), message.body(), message.durable(),
                message.priority(), message.ttlMillis(), null)
                .group(message.group());
    }

    /** @param error what is wrong if nothing has moved; null for nothing */
    private void end(String stopped, BrokerError error) {
        ended = true;
        giveBack();
        if (act.isOver()) {
            return;
        }
        // Behind what goes back on its way to the queue's loop: whoever has the answer finds the messages in their place.
        act.client().findQueue(queue, new Reply<>() {
            @Override
            public void done(Client.QueueStatus status) {
                answer(status.readyMessages());
            }

            @Override
            public void failed(BrokerError gone) {
                answer(0);
            }

            private void answer(long remaining) {
                if (moved == 0 && error != null) {
                    act.failed(error);
                } else {
                    act.done(new Moved(moved, remaining, stopped));
                }
            }
        });
    }

    private void giveBack() {
        // The last first, so that the queue needs not look for each one's place.
        batch.reversed().forEach(each -> each.settle(Delivery.Outcome.RELEASED));
        batch.clear();
        left.reversed().forEach(each -> each.settle(Delivery.Outcome.RELEASED));
        left.clear();
    }

    private static String words(BrokerError error) {
        return switch (error) {
            case BrokerError.AddressFull full -> full.reason();
            case BrokerError.Unavailable gone -> gone.reason();
            case BrokerError.AccessRefused refused -> refused.reason();
            case BrokerError other -> other.toString();
        };
    }
}
