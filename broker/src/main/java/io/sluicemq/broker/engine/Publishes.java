package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.SharedCharge;
import io.sluicemq.broker.journal.Journal;
import java.util.List;
import java.util.Set;

/**
 * Leads a client's publishes into queues: room in the accounts first, then the log, then the queues. Where no account has a limit
 * and the log has room, which is the rule, all of it happens at once. Owned by the client's loop.
 */
@LoopOwned
final class Publishes {

    private static final boolean[] NOTHING_RESERVED = null;
    private static final boolean[] ONE_RESERVED = {true};

    private final LoopContext context;
    private final Entrance entrance;

    Publishes(LoopContext context, Entrance entrance) {
        this.context = context;
        this.entrance = entrance;
    }

    /** @param exchange the account that the messages of the exchange are counted in together; null if there is none */
    void publish(Message message, Route route, Account exchange, Completion completion, Producer producer) {
        if (producer != null && producer.credit() != null) {
            publishOnCredit(message, route, exchange, completion, producer);
        } else {
            publish(message, route, exchange, completion, producer, null);
        }
    }

    /** By what its line holds, if that will do. */
    private void publishOnCredit(
            Message message, Route route, Account exchange, Completion completion, Producer producer) {
        Credit line = (Credit) producer.credit();
        if (!entrance.isIdle() && entrance.mustFollow(producer, route.targets())) {
            line.spendBehindOthers();
        } else {
            boolean[] reserved = line.spend(message.sizeBytes(), route, exchange);
            if (reserved != null) {
                if (exchange != null && route.size() > 0) {
                    message.charge(new SharedCharge(exchange, message.sizeBytes(), route.size()));
                }
                proceed(message, route, reserved, completion, producer);
                return;
            }
        }
        publish(message, route, exchange, completion, producer, line);
    }

    /** @param line what it was published on, and has no room for it; null for none */
    private void publish(
            Message message, Route route, Account exchange, Completion completion, Producer producer, Credit line) {
        Object key = producer == null ? this : producer;
        boolean limited = exchange != null || route.isLimited();
        if (!limited && (entrance.isIdle() || !entrance.mustFollow(key, route.targets()))) {
            proceed(message, route, NOTHING_RESERVED, completion, producer);
            return;
        }
        if (exchange == null && route.size() == 1 && entrance.isIdle()) {
            int bytes = message.sizeBytes();
            Account account = route.targets()[0].queue().account();
            if (account.isLimited() && account.reserve(context.loop, bytes, 1, null, Set.of()) == null) {
                proceed(message, route, ONE_RESERVED, completion, producer);
                return;
            }
        }
        Publish publish = new Publish(message, route, exchange, completion, producer);
        if (line != null && line.isOverdue()) {
            entrance.enter(publish, key, line.takeOverdueNanos());
        } else {
            entrance.enter(publish, key);
        }
    }

    /** Goes on with a publish that has its room: into the log, if it belongs there, and into its queues. */
    private void proceed(
            Message message, Route route, boolean[] reserved, Completion completion, Producer producer) {
        if (route.size() > 1) {
            message.share(route.size());
            context.messageHeld(message.sizeBytes());
        }
        if (context.isParkingFor(route)) {
            park(message, route, reserved, completion, producer);
            return;
        }
        boolean logged = message.durable() && route.isLogged() && context.journal() != null;
        long position = logged ? log(message, route, completion) : Journal.NONE;
        if (logged && position == Journal.NONE) {
            park(message, route, reserved, completion, producer);
            return;
        }
        hand(message, route, reserved, position, logged ? context.journal().lastShare() : 0, completion, producer);
    }

    /** Writes a message into the log, unless there is no room; {@code completion} takes on the obligation that it is durable. */
    private long log(Message message, Route route, Completion completion) {
        long position = context.journal().append(message, route.loggedIds());
        if (position != Journal.NONE && completion != null) {
            completion.hold();
            context.journal().await(position, completion);
        }
        return position;
    }

    /** Has it wait for room in the log. */
    private void park(Message message, Route route, boolean[] reserved, Completion completion, Producer producer) {
        if (completion != null) {
            completion.hold();
        }
        context.messageHeld(message.sizeBytes());
        context.park(() -> {
            boolean logged = message.durable() && route.isLogged();
            long position = logged ? log(message, route, completion) : Journal.NONE;
            if (logged && position == Journal.NONE) {
                context.stillNoRoom();
                return;
            }
            context.messageLeft(message.sizeBytes());
            hand(message, route, reserved, position, logged ? context.journal().lastShare() : 0, completion, producer);
            if (completion != null) {
                completion.met(context.loop);
            }
        }, List.of(route.targets()));
    }

    private void hand(
            Message message, Route route, boolean[] reserved, long position, int share, Completion completion,
            Producer producer) {
        // Not before: as long as it waits for room no consumer can be blamed for its age.
        message.published(context.loop.currentTimeMillis());
        QueueProxy[] targets = route.targets();
        for (int i = 0; i < targets.length; i++) {
            if (completion != null) {
                completion.hold();
            }
            targets[i].enqueue(
                    context, message, position, share, reserved != NOTHING_RESERVED && reserved[i], completion,
                    producer);
        }
    }

    @Override
    public String toString() {
        return "publisher";
    }

    /** A publish that may have to wait. */
    private final class Publish extends MessageArrival {

        private final Route route;
        private final Completion completion;
        private final Producer producer;
        private boolean waiting;

        Publish(Message message, Route route, Account exchange, Completion completion, Producer producer) {
            super(context, message, route.targets(), exchange);
            this.route = route;
            this.completion = completion;
            this.producer = producer;
        }

        @Override
        Producer producer() {
            return producer;
        }

        @Override
        void waits(Account where) {
            waiting = true;
            if (completion != null) {
                completion.hold();
            }
        }

        @Override
        void admitted() {
            boolean[] reserved = takeReserved();
            Route open = targets() == route.targets() ? route : Route.of(targets());
            proceed(message(), open, reserved, completion, producer);
            if (waiting && completion != null) {
                completion.met(context.loop);
            }
        }

        @Override
        void refused(BrokerError error) {
            if (completion == null) {
                if (producer != null) {
                    producer.refused(error);
                }
                return;
            }
            if (!waiting) {
                completion.hold();
            }
            completion.refused(context.loop, error);
        }

        @Override
        void dropped() {
            context.tally.droppedUnconfirmed++;
            if (completion != null) {
                // Not in the middle of whatever its client is doing now.
                context.loop.execute(() -> completion.refused(
                        context.loop,
                        new BrokerError.Unavailable("the client has gone while its message waited for room")));
            }
        }
    }
}
