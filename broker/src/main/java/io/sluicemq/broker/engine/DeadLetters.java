package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.RouteSet;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Publishes messages again that died in a queue: with their history, by the queue's dead-letter exchange, one after the
 * other in the order in which they left, however many dead letters that causes in turn.
 *
 * <p>A cycle is cut where RabbitMQ cuts it: a message does not enter a queue in which it died before, if it has come round
 * without a consumer's rejection on the way. A history that a sender has put into a message is continued and counted, as
 * applications that send on what they received expect, but is no proof of a cycle.
 *
 * <p>A letter that finds no room where it goes waits in the order of its queue's letters and holds back nothing else. Until it
 * has found room it counts where it died. Where that would keep letters waiting for each other in a circle, some of them are let
 * out of that count ({@link #letGo}).
 */
@LoopOwned
final class DeadLetters {

    /**
     * @param position where the message that died is in the log, or {@link Journal#NONE}: it leaves there after its letter has
     *     come there
     */
    private record Dead(
            Queue queue, Message message, Death.Reason reason, long position, int share, Completion completion) {}

    /** How many of a queue's waiting letters may count nowhere so that others come in their place. */
    private static final int MOST_LET_GO = 64;

    /** A letter that has room in its queues and waits for room in the log. */
    private record Blocked(Letter letter, Route route) {}

    private final VirtualHost host;
    private final LoopContext context;
    private final ArrayDeque<Dead> waiting = new ArrayDeque<>();
    private final RouteSet<QueueProxy> routes = new RouteSet<>();
    private final ArrayDeque<Blocked> blocked = new ArrayDeque<>();
    private final Entrance entrance;
    /** What is known of the letters of a queue that wait or count no more; there is one while there are any. */
    private final Map<Queue, Waiting> byQueue = new IdentityHashMap<>(0);
    private boolean sending;

    /** The letters of one queue that have had to wait, until they are where they belong. */
    private static final class Waiting {
        private int letters;
        /** How many of them count no more, so that others may come in their place. */
        private int replaced;
        /** The account of more than a queue that had no room for one of them lately; null if there was none. */
        private Account shared;
    }

    DeadLetters(VirtualHost host, LoopContext context) {
        this.host = host;
        this.context = context;
        this.entrance = new Entrance(context, "virtual host '" + host.name() + "'", true);
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

    /** Whether letters of the queue wait for room. */
    boolean wait(Queue queue) {
        return !blocked.isEmpty() || !entrance.waiting(queue).isEmpty();
    }

    /** How many letters of the queue wait for room in their queues. */
    int waiting(Queue queue) {
        return entrance.isIdle() ? 0 : entrance.waiting(queue).size();
    }

    /** The way that letters take. */
    Entrance entrance() {
        return entrance;
    }

    /**
     * Has waiting letters of the queue count there no more, for so many bytes. What exceeds a lowered limit goes whatever it is, since
     * nothing comes in its place; for what does come in their place only {@link #MOST_LET_GO} go.
     *
     * @param full where room is needed: the queue's account, or one that counts its messages, too
     * @return how many bytes count no more
     */
    long letGo(Queue queue, Account full, long bytes) {
        long freed = 0;
        for (Waiter each : entrance.waiting(queue)) {
            boolean exceeds = full.isExceeded();
            if (!exceeds && (freed >= bytes || isAllReplaced(queue))) {
                break;
            }
            freed += ((Letter) each.arrival()).letGo(!exceeds);
        }
        return freed;
    }

    /** Whether as many of its letters count no more as may, so that others may come in their place. */
    private boolean isAllReplaced(Queue queue) {
        Waiting letters = byQueue.get(queue);
        return letters != null && letters.replaced >= MOST_LET_GO;
    }

    private Waiting letters(Queue queue) {
        return byQueue.computeIfAbsent(queue, q -> new Waiting());
    }

    /** There may be room in the log for letters that wait. */
    void room() {
        if (blocked.isEmpty()) {
            return;
        }
        while (!blocked.isEmpty()) {
            Blocked next = blocked.peek();
            if (!next.letter().hand(next.route())) {
                return;
            }
            blocked.poll();
            context.messageLeft(next.letter().message().sizeBytes());
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
        Exchange<QueueProxy> exchange = table.exchange(options.letterExchange(reason));
        List<Death> deaths = history(queue.name(), message, reason);
        boolean ownKeys = options.letterRoutingKey(reason) == null;
        Message letter = message.afterDeath(
                options.letterExchange(reason),
                ownKeys ? message.routingKey() : options.letterRoutingKey(reason),
                ownKeys ? message.extraKeys() : List.of(),
                deaths);
        List<QueueProxy> targets = new ArrayList<>();
        if (exchange != null) {
            routes.clear();
            table.route(exchange, letter.routingKey(), letter.extraKeys(), letter::headers, routes);
            for (int i = 0; i < routes.size(); i++) {
                QueueProxy target = routes.get(i);
                if (!target.queue().options().takes(letter, null)) {
                    continue;
                }
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
            countDropped(reason);
            leave(dead, true);
            return;
        }
        Account common = exchange == null ? null : host.exchangeAccount(exchange.name());
        entrance.enter(new Letter(dead, letter, targets.toArray(QueueProxy[]::new), common), queue);
    }

    private void countDropped(Death.Reason reason) {
        switch (reason) {
            case MAX_LENGTH -> context.tally.droppedByLimit++;
            case EXPIRED -> context.tally.droppedByExpiry++;
            case REJECTED, DELIVERY_LIMIT -> context.tally.droppedByRejection++;
        }
    }

    /** A dead letter on its way. */
    private final class Letter extends MessageArrival {

        private final Dead dead;
        private boolean[] reserved;
        private boolean letGo;
        private boolean replaced;
        private boolean waited;

        Letter(Dead dead, Message message, QueueProxy[] targets, Account common) {
            super(context, message, targets, common);
            this.dead = dead;
        }

        /** It counts no more where it died; returns how many bytes that are, 0 if it didn't before. */
        long letGo(boolean forAnother) {
            if (letGo) {
                return 0;
            }
            letGo = true;
            replaced = forAnother;
            letters(dead.queue()).replaced += forAnother ? 1 : 0;
            dead.queue().departed(dead.message());
            return dead.message().sizeBytes();
        }

        @Override
        Producer producer() {
            return null;
        }

        @Override
        void waits(Account where) {
            waited = true;
            letters(dead.queue()).letters++;
            letGoMayHelp();
            makesRoomIn(where);
        }

        /**
         * While messages count where they died, their letters may themselves be what there is no room for: in the virtual host, or in
         * an exchange by which the messages came. They then count there no more, this one and the next ones.
         */
        @Override
        boolean makesRoomIn(Account full) {
            if (full.kind() == Account.Kind.QUEUE) {
                return false;
            }
            letters(dead.queue()).shared = full;
            long freed = DeadLetters.this.letGo(dead.queue(), full, Long.MAX_VALUE);
            boolean exceeds = full.isExceeded();
            if (exceeds || !isAllReplaced(dead.queue())) {
                freed += letGo(!exceeds); // it may not be one of those who wait yet
            }
            return freed > 0;
        }

        /** It is where it belongs: where others wait for room that they take themselves, the next one may be let go. */
        private void letNextGo() {
            Waiting others = byQueue.get(dead.queue());
            if (others == null) {
                return;
            }
            others.letters -= waited ? 1 : 0;
            others.replaced -= replaced ? 1 : 0;
            if (others.letters == 0) {
                byQueue.remove(dead.queue());
            } else if (others.shared != null) {
                DeadLetters.this.letGo(dead.queue(), others.shared, Long.MAX_VALUE);
            }
        }

        /** Letters that wait for room in its queue may have it: those of the queue that can be let go of are others now. */
        private void letGoMayHelp() {
            dead.queue().account().gate().plan();
        }

        @Override
        void admitted() {
            QueueProxy[] targets = targets();
            if (targets.length == 0) {
                ends();
                return;
            }
            context.tally.deadLettered++;
            reserved = takeReserved();
            if (targets.length > 1) {
                message().share(targets.length);
                context.messageHeld(message().sizeBytes());
            }
            Route route = Route.of(targets);
            if (!blocked.isEmpty() || !hand(route)) {
                blocked.add(new Blocked(this, route));
                context.messageHeld(message().sizeBytes());
            }
        }

        /** Hands it to its queues, unless the log has no room for it; then the message that died leaves the log. */
        boolean hand(Route route) {
            Message message = message();
            long position = Journal.NONE;
            int share = 0;
            if (message.durable() && route.isLogged() && context.journal() != null) {
                position = context.journal().append(message, route.loggedIds());
                if (position == Journal.NONE) {
                    return false;
                }
                share = context.journal().lastShare();
            }
            message.published(context.loop.currentTimeMillis());
            for (int i = 0; i < route.size(); i++) {
                route.targets()[i].enqueue(context, message, position, share, reserved[i], null, null);
            }
            ends();
            return true;
        }

        private void ends() {
            leave(dead, !letGo);
            letGo = true; // it is still among those who wait, for a moment
            letNextGo();
            if (waited) {
                letGoMayHelp();
                context.loop.atTurnEnd(dead.queue()::deadLettersGoOn);
            }
        }

        @Override
        void refused(BrokerError error) {
            countDropped(dead.reason());
            ends();
        }

        @Override
        void dropped() {
            throw new IllegalStateException("the broker's own way was closed");
        }
    }

    private void leave(Dead dead, boolean counted) {
        if (counted) {
            dead.queue().departed(dead.message());
        }
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
