package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.CreditLine;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Room that one producer's messages will find when they come. It is reserved in all accounts of its {@link CreditPlan} alike; a
 * message that the line has room for touches none of them.
 *
 * <p>A request takes what is free. If that is nothing, a line that has no credit waits at a gate, as a publish does; one that has
 * some tries again when half of that is spent, so that nobody waits for room while holding some.
 *
 * <p>What it holds it gives back when others wait for it and it does not use it: at once what is more than its fair part, and all
 * of it when it has published nothing for {@value #IDLE_MILLIS} ms. Such a line may ask again, and waits its turn; but it gets one
 * message only, and twice as many each time it has used what it had: so many idle lines together hold little. Room that is too
 * small for one message of each goes round, at that pace.
 *
 * <p>Owned by the client's loop. Invariants: in each account of the plan exactly what its messages and bytes count for there is
 * reserved, if there are any, and then it is listed in {@link Credits}. While it holds room and somebody waits for that, a timer
 * looks whether it is idle, or word of it is on its way. It holds none while it, or a message of its own, waits at a gate.
 */
@LoopOwned
final class Credit implements CreditLine {

    private static final long IDLE_MILLIS = 100;
    private static final int MOST = 1 << 30;
    private static final int NEVER = -1;
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);

    private final ConnectedClient client;
    private final LoopContext context;
    private final Producer producer;
    private final Sink sink;
    /** What its messages are routed like. */
    private final Message example;

    private RoutingTable<QueueProxy> table;
    private CreditPlan plan = new CreditPlan(Route.NOWHERE, null);
    private boolean listed;
    /** For how many messages it may publish, and for how many of these room is reserved. */
    private int messages;

    private int reserved;
    /** How many bytes these may have together. */
    private long bytes;
    /** As how large one was expected when it asked last. */
    private long bytesEach = 1;

    /** How many more messages were asked for, without an answer yet; 0 for none. */
    private int asked;

    /** Since when it has had no credit, but the request. */
    private long askedNanos;

    /** The request at the entrance; null if it is not there. */
    private Request request;
    /** When it has no more than so many messages, a request that has found no room tries again. */
    private int retryAt = NEVER;
    /** How many messages it may have at most. */
    private int most = MOST;
    /** Whether something was published since it was last said how many it may have. */
    private boolean grows;

    private boolean asking;
    private int grantedNow;
    private int toTellGranted;
    private int toTellRevoked;
    private boolean telling;

    private boolean used;
    private long activeNanos;
    private Loop.Timer idleTimer;
    /** Whether its next message has waited as long as it may, before it came; and since when. */
    private boolean overdue;

    private long overdueNanos;
    private boolean closed;

    Credit(ConnectedClient client, String exchange, String routingKey, Producer producer, Sink sink) {
        this.client = client;
        this.context = client.context();
        this.producer = producer;
        this.sink = sink;
        this.example = new Message(
                Example.FORMAT, exchange, routingKey, List.of(), new byte[0], new byte[0], false, 0, Message.NO_TTL,
                null);
        host().creditLines(1);
        context.credits.opened(this);
    }

    VirtualHost host() {
        return client.host();
    }

    // ---- what the producer's protocol does

    @Override
    public int ask(int more, long expectedBytes) {
        context.loop.assertCurrent();
        if (more < 1 || expectedBytes < 1) {
            throw new IllegalArgumentException("credit for " + more + " messages of " + expectedBytes + " bytes");
        }
        if (closed || isAsking()) {
            throw new IllegalStateException(this + (closed ? " is closed" : " asks already"));
        }
        bytesEach = expectedBytes;
        follow();
        giveBackSpare();
        asked = more;
        asking = true;
        grantedNow = 0;
        try {
            tryToGet();
        } finally {
            asking = false;
        }
        return grantedNow;
    }

    @Override
    public boolean isLimited() {
        context.loop.assertCurrent();
        follow();
        return !plan.isEmpty();
    }

    @Override
    public boolean isAsking() {
        return asked > 0 || toTellGranted > 0;
    }

    @Override
    public int messages() {
        return messages;
    }

    @Override
    public void forgo(int count) {
        context.loop.assertCurrent();
        int fewer = Math.min(count, messages);
        int ofReserved = Math.min(fewer, reserved);
        if (ofReserved > 0) {
            giveBack(ofReserved, bytesOf(ofReserved));
        }
        messages -= fewer;
        if (messages <= retryAt) {
            planTelling();
        }
    }

    @Override
    public void close() {
        context.loop.assertCurrent();
        if (closed) {
            return;
        }
        closed = true;
        if (idleTimer != null) {
            idleTimer.cancel();
        }
        withdraw();
        giveBack(reserved, bytes);
        messages = 0;
        context.credits.closed(this);
        host().creditLines(-1);
        client.closed(this);
        producer.credit(null);
    }

    // ---- what it is spent for

    /**
     * A message is published.
     *
     * @return in which of its targets it has its room now; null if it is to find room itself
     */
    boolean[] spend(int sizeBytes, Route route, Account exchange) {
        if (messages == 0) {
            return null;
        }
        if (host().table() != table) {
            follow();
            if (messages == 0) {
                // There is no room where it goes now: this one is spent nevertheless, and the others are revoked.
                messages = 1;
                toTellRevoked--;
            }
        }
        if (reserved == 0) {
            spendOne();
            return null;
        }
        if (!plan.covers(route, exchange)) {
            spendElsewhere();
            follow();
            return null;
        }
        if (sizeBytes > bytes && !reserveMore(sizeBytes - bytes)) {
            spendBehindOthers();
            return null;
        }
        bytes -= sizeBytes;
        reserved--;
        if (reserved == 0) {
            giveBack(0, bytes);
        }
        spendOne();
        return plan.reserved();
    }

    /** A message is published, and goes where the line holds no room for it. */
    void spendElsewhere() {
        if (messages > 0) {
            if (reserved > 0) {
                giveBack(1, bytesOf(1));
            }
            spendOne();
        }
    }

    /** A message is published that has to wait: the line keeps nothing meanwhile. */
    void spendBehindOthers() {
        if (messages > 0) {
            giveBack(reserved, bytes);
            int rest = messages - 1;
            messages = 1;
            spendOne();
            tellRevoked(rest);
        }
    }

    private void spendOne() {
        used = true;
        grows = true;
        messages--;
        if (messages <= retryAt) {
            planTelling();
        }
    }

    /** Whether the next message has waited as long as it may. */
    boolean isOverdue() {
        return overdue;
    }

    /** Since when the message at hand has waited, which is no more overdue. */
    long takeOverdueNanos() {
        overdue = false;
        return overdueNanos;
    }

    // ---- what it holds

    /** For another message than it was expected; all or nothing. */
    private boolean reserveMore(long moreBytes) {
        Request more = new Request(0);
        more.extraBytes = moreBytes;
        if (more.reserve(context.loop, null) != null || more.isNeedless) {
            return false;
        }
        bytes += moreBytes;
        return true;
    }

    /** Room for so many messages and bytes is reserved no more. */
    private void giveBack(int fewerMessages, long fewerBytes) {
        reserved -= fewerMessages;
        bytes -= fewerBytes;
        if (fewerMessages > 0 || fewerBytes > 0) {
            for (QueueProxy target : plan.held()) {
                target.queue().account().unreserve(context.loop, fewerBytes, fewerMessages, null);
            }
            Account exchange = plan.heldExchange();
            if (exchange != null) {
                exchange.unreserve(
                        context.loop, plan.bytesIn(exchange, fewerBytes, fewerMessages), fewerMessages, null);
            }
        }
        unlistIfEmpty();
    }

    /** Its messages were smaller than it thought. */
    private void giveBackSpare() {
        if (reserved > 0 && bytes > reserved * bytesEach) {
            giveBack(0, bytes - reserved * bytesEach);
        }
    }

    private void list() {
        if (!listed) {
            listed = true;
            for (Account account : plan.accounts()) {
                context.credits.holds(account, this);
            }
        }
    }

    private void unlistIfEmpty() {
        if (listed && reserved == 0 && bytes == 0) {
            listed = false;
            for (Account account : plan.accounts()) {
                context.credits.holdsNoMore(account, this);
            }
        }
    }

    long heldBytes(Account account) {
        return plan.bytesIn(account, bytes, reserved);
    }

    long heldMessages(Account account) {
        return plan.messagesIn(account, reserved);
    }

    // ---- where it holds it

    void routesChanged() {
        follow();
    }

    /** Has the line hold its room where its messages go now, as they are limited now; what it finds none for there is revoked. */
    private void follow() {
        RoutingTable<QueueProxy> now = host().table();
        Route route = client.routeFor(example);
        table = now;
        Account exchange = host().exchangeAccount(example.exchange());
        if (plan.isFor(route, exchange)) {
            return;
        }
        int waiting = request == null ? 0 : asked;
        if (waiting > 0) {
            withdraw();
        }
        boolean wasEmpty = plan.isEmpty();
        int had = wasEmpty ? messages : reserved;
        giveBack(reserved, bytes);
        messages -= had;
        plan = new CreditPlan(route, exchange);
        if (had > 0) {
            int found = plan.isEmpty() ? had : new Request(had).reserveNow();
            messages += found;
            tellRevoked(had - found);
            watchIfWaited();
        }
        if (retryAt != NEVER) {
            retryAt = messages;
            planTelling();
        }
        if (waiting > 0) {
            asked = waiting;
            if (plan.isEmpty()) {
                granted(asked);
            } else {
                stand(askedNanos);
            }
        }
    }

    // ---- what it waits for

    /** Gets what was asked for, or as much as there is, or waits. */
    private void tryToGet() {
        retryAt = NEVER;
        if (context.shortage() != null) {
            context.credits.awaitResources(this);
            return;
        }
        if (grows) {
            grows = false;
            most = (int) Math.min(MOST, most * 2L);
        }
        if (plan.isEmpty()) {
            granted(asked);
        } else if (messages == 0) {
            stand(context.loop.nanoTime());
        } else {
            int found = most > messages ? new Request(Math.min(asked, most - messages)).reserveNow() : 0;
            if (found > 0) {
                granted(found);
            } else {
                retryAt = messages / 2;
            }
        }
    }

    /** Gets what there is, or waits at a gate. */
    private void stand(long sinceNanos) {
        askedNanos = sinceNanos;
        request = new Request(Math.min(asked, most));
        client.entrance().enter(request, this, sinceNanos);
    }

    /** Nothing is waited for any more. */
    private void withdraw() {
        request = null;
        asked = 0;
        retryAt = NEVER;
        client.entrance().withdraw(this);
        context.credits.awaitsResourcesNoMore(this);
    }

    void resourcesRecovered() {
        tryToGet();
    }

    private void granted(int count) {
        request = null;
        asked = 0;
        messages += count;
        activeNanos = context.loop.nanoTime();
        used = false;
        if (asking) {
            grantedNow += count;
        } else {
            toTellGranted += count;
            planTelling();
        }
        watchIfWaited();
    }

    private void tellRevoked(int count) {
        if (count > 0) {
            toTellRevoked += count;
            planTelling();
        }
    }

    private void planTelling() {
        if (!telling) {
            telling = true;
            context.loop.atTurnEnd(this::tell);
        }
    }

    /** By itself and not from within whatever the protocol is doing. */
    private void tell() {
        telling = false;
        int granted = toTellGranted;
        int revoked = toTellRevoked;
        toTellGranted = 0;
        toTellRevoked = 0;
        if (granted > 0 && !closed) {
            sink.granted(granted);
        }
        if (revoked > 0 && !closed) {
            sink.revoked(revoked);
        }
        if (messages <= retryAt && !closed) {
            tryToGet();
        }
    }

    // ---- others wait

    /** Somebody waits for room in an account in which this holds some, or its limits have changed. */
    void recall(Account account) {
        if (!plan.isAsLimited()) {
            follow();
        }
        if (reserved > 0 && plan.holdsIn(account) && account.isWaited()) {
            if (isIdle()) {
                revokeIdle();
                return;
            }
            long part = Math.max(1, account.fairPartOfAll(
                    plan.bytesIn(account, bytesEach, 1), plan.messagesIn(account, 1)));
            if (reserved > part) {
                revoke(reserved - (int) part);
            }
            watch();
        }
    }

    private void revoke(int count) {
        giveBack(count, bytesOf(count));
        messages -= count;
        tellRevoked(count);
    }

    /** The part of its bytes that so many of its messages have. */
    private long bytesOf(int count) {
        return bytes / reserved * count + bytes % reserved * count / reserved;
    }

    private void revokeIdle() {
        most = 1;
        grows = false;
        revoke(reserved);
    }

    private boolean isIdle() {
        long now = context.loop.nanoTime();
        if (used) {
            used = false;
            activeNanos = now;
        }
        return now - activeNanos >= IDLE_NANOS;
    }

    private void watchIfWaited() {
        if (reserved > 0) {
            for (Account account : plan.accounts()) {
                if (account.isWaited()) {
                    watch();
                    return;
                }
            }
        }
    }

    private void watch() {
        if (idleTimer == null) {
            long left = activeNanos + IDLE_NANOS - context.loop.nanoTime();
            idleTimer = context.loop.schedule(Math.max(0, left), this::look);
        }
    }

    private void look() {
        idleTimer = null;
        for (Account account : plan.accounts()) {
            if (reserved > 0 && account.isWaited()) {
                if (isIdle()) {
                    revokeIdle();
                } else {
                    watch();
                }
                return;
            }
        }
    }

    // ---- for people

    @Override
    public String toString() {
        return "credit of " + producer.description();
    }

    /** A request for room, for as many messages as there is room for, and at least one. */
    private final class Request extends Arrival {

        private final CreditPlan where = plan;
        private final int wanted;
        private final long each = bytesEach;
        /** For how many messages room is asked for at this moment. */
        private int size = 1;
        /** Bytes beside those, for a message that there is room for already. */
        private long extraBytes;

        /** Whether some of its targets would refuse or drop its message. */
        private boolean isRefused;
        /** Whether some of its targets need no room to be reserved any more, and so none is. */
        private boolean isNeedless;

        /** @param wanted for how many messages; 0 for none, but more bytes */
        Request(int wanted) {
            super(plan.held(), commons(plan.heldExchange()));
            this.wanted = wanted;
            if (wanted == 0) {
                size = 0;
            }
        }

        @Override
        Account reserve(Loop here, Account.Pool pool) {
            list();
            if (wanted > 0) {
                size = most(pool);
            }
            Account lacking = super.reserve(here, pool);
            if (lacking != null && size > 1) {
                size = 1;
                lacking = super.reserve(here, pool);
            }
            if (lacking == null && !isAllNeeded()) {
                // Limits or policies have changed since the plan was made, of which word is on its way: then it is not needed.
                giveBack(here, pool);
                isNeedless = true;
            }
            if (lacking != null || isNeedless) {
                unlistIfEmpty();
            }
            return lacking;
        }

        private boolean isAllNeeded() {
            QueueProxy[] targets = targets();
            for (int i = 0; i < targets.length; i++) {
                if (!isReserved(i) || !CreditPlan.waits(targets[i].queue().account())) {
                    return false;
                }
            }
            return where.heldExchange() == null || CreditPlan.waits(where.heldExchange());
        }

        private int most(Account.Pool pool) {
            long most = wanted;
            for (Account account : where.accounts()) {
                long accountBytes = where.bytesIn(account, each, 1);
                long accountMessages = where.messagesIn(account, 1);
                most = Math.min(most, pool != null && pool.isOf(account)
                        ? pool.times(accountBytes, accountMessages)
                        : account.fairPartOfFree(accountBytes, accountMessages));
            }
            return (int) Math.max(1, most);
        }

        /** What there is room for at this moment; returns for how many messages. */
        int reserveNow() {
            if (reserve(context.loop, null) != null) {
                return 0;
            }
            keep();
            return size;
        }

        private void keep() {
            if (isRefused && !isNeedless) {
                giveBack(context.loop, null);
                unlistIfEmpty();
            } else if (!isNeedless) {
                reserved += size;
                bytes += size * each;
            }
        }

        @Override
        void admitted() {
            keep();
            granted(size);
        }

        /** Whatever its message will find, its producer is to learn of it: that will be refused, or be dropped. */
        @Override
        void refused(BrokerError error) {
            unlistIfEmpty();
            granted(1);
        }

        @Override
        void heldTooLong(Account account) {
            overdue = true;
            overdueNanos = sinceNanos();
            refused(account.heldTooLong());
        }

        @Override
        void droppedFor(int target, Account full) {
            isRefused = true;
        }

        @Override
        QueueProxy[] droppedFor(Account exchange) {
            isRefused = true;
            return Route.NOWHERE.targets();
        }

        @Override
        long bytes(int target) {
            return size * each + extraBytes;
        }

        @Override
        long messages(int target) {
            return size;
        }

        @Override
        long commonBytes(Account exchange) {
            return where.bytesIn(exchange, size * each + extraBytes, size);
        }

        @Override
        long commonMessages(Account exchange) {
            return size;
        }

        @Override
        boolean isIn(Account exchange) {
            return !isRefused;
        }

        @Override
        long wantedBytes(Account account) {
            return where.bytesIn(account, each, 1) * wanted;
        }

        @Override
        long wantedMessages(Account account) {
            return where.messagesIn(account, wanted);
        }

        @Override
        int publishes() {
            return 0;
        }

        @Override
        long memoryBytes() {
            return 0;
        }

        @Override
        Producer producer() {
            return null;
        }

        @Override
        void waits(Account where) {}

        @Override
        void dropped() {
            unlistIfEmpty();
        }
    }

    /** Says nothing about a message: only its keys count. */
    private enum Example implements MessageFormat {
        FORMAT;

        @Override
        public Map<String, Object> headers(Message message) {
            return Map.of();
        }

        @Override
        public List<Death> claimedDeaths(Message message) {
            return List.of();
        }

        @Override
        public String originalExpiration(Message message) {
            return null;
        }
    }
}
