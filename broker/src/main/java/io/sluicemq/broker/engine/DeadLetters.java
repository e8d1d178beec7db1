package io.sluicemq.broker.engine;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.RouteSet;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes messages again that died in a queue: with their history, by the queue's dead-letter exchange, one after the
 * other in the order in which they left, however many dead letters that causes in turn.
 *
 * <p>A cycle is cut where RabbitMQ cuts it: a message does not enter a queue in which it died before, if it has come round
 * without a consumer's rejection on the way. A history that a sender has put into a message is continued and counted, as
 * applications that send on what they received expect, but is no proof of a cycle.
 */
@LoopOwned
final class DeadLetters {

    /**
     * @param position where the message that died is in the log, or {@link Journal#NONE}: it leaves there after its letter has
     *     come there
     */
    private record Dead(
            Queue queue, Message message, Death.Reason reason, long position, int share, Completion completion) {}

    /** A letter that waits for room in the log. */
    private record Blocked(Dead dead, Message letter, Route route) {}

    private final VirtualHost host;
    private final LoopContext context;
    private final ArrayDeque<Dead> waiting = new ArrayDeque<>();
    private final RouteSet<QueueProxy> routes = new RouteSet<>();
    private final ArrayDeque<Blocked> blocked = new ArrayDeque<>();
    private boolean sending;

    DeadLetters(VirtualHost host, LoopContext context) {
        this.host = host;
        this.context = context;
    }

    void send(
            Queue queue, Message message, Death.Reason reason, long position, int share, Completion completion) {
        waiting.addLast(new Dead(queue, message, reason, position, share, completion));
        if (sending) {
            // A dead letter has caused another: it waits its turn rather than nest.
            return;
        }
        sending = true;
        try {
            for (Dead dead = waiting.pollFirst(); dead != null; dead = waiting.pollFirst()) {
                publish(dead);
            }
        } finally {
            sending = false;
        }
    }

    /** Whether letters wait for room in the log. */
    boolean isBlocked() {
        return !blocked.isEmpty();
    }

    /** There may be room in the log for letters that wait. */
    void room() {
        if (blocked.isEmpty()) {
            return;
        }
        while (!blocked.isEmpty()) {
            Blocked next = blocked.peek();
            if (!hand(next.dead(), next.letter(), next.route())) {
                return;
            }
            blocked.poll();
            context.messageBytes(-next.letter().sizeBytes());
        }
        for (Queue queue : context.queues.toArray(Queue[]::new)) {
            queue.deadLettersGoOn();
        }
    }

    private void publish(Dead dead) {
        Queue queue = dead.queue();
        Message message = dead.message();
        Death.Reason reason = dead.reason();
        QueueOptions options = queue.options();
        RoutingTable<QueueProxy> table = host.table();
        Exchange<QueueProxy> exchange = table.exchange(options.deadLetterExchange());
        List<Death> deaths = history(queue.name(), message, reason);
        boolean ownKeys = options.deadLetterRoutingKey() == null;
        Message letter = message.afterDeath(
                options.deadLetterExchange(),
                ownKeys ? message.routingKey() : options.deadLetterRoutingKey(),
                ownKeys ? message.extraKeys() : List.of(),
                deaths);
        List<QueueProxy> targets = new ArrayList<>();
        if (exchange != null) {
            routes.clear();
            table.route(exchange, letter.routingKey(), letter.extraKeys(), letter::headers, routes);
            for (int i = 0; i < routes.size(); i++) {
                QueueProxy target = routes.get(i);
                if (reason != Death.Reason.REJECTED
                        && comesRound(target.queue().name(), deaths)) {
                    context.tally.droppedInCycles++;
                } else {
                    targets.add(target);
                }
            }
            routes.clear();
        }
        if (targets.isEmpty()) {
            switch (reason) {
                case MAX_LENGTH -> context.tally.droppedByLimit++;
                case EXPIRED -> context.tally.droppedByExpiry++;
                case REJECTED, DELIVERY_LIMIT -> context.tally.droppedByRejection++;
            }
            leave(dead);
            return;
        }
        context.tally.deadLettered++;
        if (targets.size() > 1) {
            letter.share(targets.size());
            context.messageBytes(letter.sizeBytes());
        }
        Route route = Route.of(targets.toArray(QueueProxy[]::new));
        if (!blocked.isEmpty() || !hand(dead, letter, route)) {
            blocked.add(new Blocked(dead, letter, route));
            context.messageBytes(letter.sizeBytes());
        }
    }

    /** Hands a letter to its queues, unless the log has no room for it; then the message that died leaves the log. */
    private boolean hand(Dead dead, Message letter, Route route) {
        long position = Journal.NONE;
        int share = 0;
        if (letter.durable() && route.isLogged() && context.journal() != null) {
            position = context.journal().append(letter, route.loggedIds());
            if (position == Journal.NONE) {
                return false;
            }
            share = context.journal().lastShare();
        }
        for (QueueProxy target : route.targets()) {
            target.enqueue(context, letter, position, share, null, null);
        }
        leave(dead);
        return true;
    }

    private void leave(Dead dead) {
        if (dead.position() != Journal.NONE) {
            long position = dead.queue().buried(dead.position());
            if (dead.queue().isRemoved()) {
                context.journal().removedBefore(position, dead.share(), dead.completion());
            } else {
                context.journal().removed(dead.queue().id(), position, dead.share(), dead.completion());
            }
            return;
        }
        if (dead.completion() != null) {
            dead.completion().met(context.loop);
        }
    }

    private List<Death> history(String queue, Message message, Death.Reason reason) {
        boolean first = message.deaths().isEmpty();
        List<Death> before = first ? message.format().claimedDeaths(message) : message.deaths();
        List<Death> after = new ArrayList<>(before.size() + 1);
        Death latest = null;
        for (Death death : before) {
            if (death.queue().equals(queue) && death.reason() == reason) {
                latest = new Death(
                        queue,
                        reason,
                        death.count() + 1,
                        death.firstTimeMillis(),
                        death.exchange(),
                        death.routingKeys(),
                        death.originalExpiration());
            } else {
                after.add(death);
            }
        }
        if (latest == null) {
            List<String> keys = new ArrayList<>(1 + message.extraKeys().size());
            keys.add(message.routingKey());
            keys.addAll(message.extraKeys());
            latest = new Death(
                    queue,
                    reason,
                    1,
                    context.loop.currentTimeMillis(),
                    message.exchange(),
                    List.copyOf(keys),
                    first ? message.format().originalExpiration(message) : null);
        }
        after.addFirst(latest);
        return List.copyOf(after);
    }

    /** Whether a message with this history, the latest first, has come back to {@code queue} without any rejection. */
    private static boolean comesRound(String queue, List<Death> deaths) {
        for (Death death : deaths) {
            if (death.claimed()) {
                continue;
            }
            if (death.reason() == Death.Reason.REJECTED) {
                return false;
            }
            if (death.queue().equals(queue)) {
                return true;
            }
        }
        return false;
    }
}
