package io.sluicemq.simulation;

import io.sluicemq.api.BrokerError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The books of all clients together, kept outside of the broker: what was published, confirmed, delivered and settled, and so what
 * must be in a queue, what must not, and what only the broker can know. A crash settles what was open: what is found after it
 * must stay, what isn't must not return.
 */
final class Ledger {

    static final String EXCHANGE = "everywhere";
    static final String TEMPORARY_EXCHANGE = "temporary";

    static final List<String> QUEUES = List.of("plain", "priority", "ageing", "ring", "overflowing", "refusing",
            "memory", "temporary0", "temporary1", "dead", "circle0", "circle1");

    final Map<String, QueueModel> queues = new LinkedHashMap<>();
    private final Limits limits;
    private final List<Work> works = new ArrayList<>();
    private final LongSupplier now;
    private long seenUntilNanos;
    private final Map<Long, Sent> all = new HashMap<>();
    private long ids;
    private int life;
    private long confirmedCount;
    private long settledCount;

    Ledger(LongSupplier now, Limits limits) {
        this.now = now;
        this.limits = limits;
        add(new QueueModel("plain", true, false, Map.of()));
        QueueModel priority = new QueueModel("priority", true, false, Map.of("x-max-priority", 3));
        priority.levels = 4;
        add(priority);
        Map<String, Object> toDead = Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
        QueueModel dead = new QueueModel("dead", true, false, Map.of());
        dead.isForDeadLetters = true;
        QueueModel ageing = new QueueModel("ageing", true, false, with(toDead, "x-message-ttl", 40));
        ageing.ttlMillis = 40;
        ageing.deadLetters = dead;
        add(ageing);
        QueueModel ring = new QueueModel("ring", true, false, Map.of("x-max-length", 12));
        ring.dropsHead = true;
        ring.mostReady = 12;
        add(ring);
        QueueModel overflowing = new QueueModel("overflowing", true, false, with(toDead, "x-max-length", 12));
        overflowing.dropsHead = true;
        overflowing.mostReady = 12;
        overflowing.deadLetters = dead;
        add(overflowing);
        QueueModel refusing = new QueueModel(
                "refusing", true, false, Map.of("x-max-length", 15, "x-overflow", "reject-publish"));
        refusing.refuses = true;
        add(refusing);
        add(new QueueModel("memory", false, false, Map.of()));
        for (int i = 0; i < 2; i++) {
            add(new QueueModel("temporary" + i, true, true, Map.of()));
        }
        add(dead);
        if (limits.isOn()) {
            addCircle();
        }
    }

    /** Two queues whose dead letters go to the other one. */
    private void addCircle() {
        for (int i = 0; i < 2; i++) {
            Map<String, Object> arguments =
                    Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "circle" + (1 - i));
            QueueModel queue =
                    new QueueModel("circle" + i, true, false,
                            i == 0 ? with(arguments, "x-message-ttl", 60) : arguments);
            queue.isForDeadLetters = true;
            queue.isInCircle = true;
            add(queue);
        }
    }

    private static Map<String, Object> with(Map<String, Object> arguments, String name, Object value) {
        Map<String, Object> more = new HashMap<>(arguments);
        more.put(name, value);
        return Map.copyOf(more);
    }

    /** A broker was driven until then on what a crash would have left: there, messages may have expired that here have not. */
    void seenUntil(long nanos) {
        seenUntilNanos = Math.max(seenUntilNanos, nanos);
    }

    private long latest() {
        return Math.max(seenUntilNanos, now.getAsLong());
    }

    private void add(QueueModel queue) {
        queues.put(queue.name, queue);
    }

    QueueModel queue(String name) {
        return queues.get(name);
    }

    /** The queues that a message to {@link #EXCHANGE} reaches. */
    List<QueueModel> everywhere() {
        return List.of(queue("plain"), queue("priority"), queue("ageing"), queue("ring"), queue("memory"));
    }

    long confirmed() {
        return confirmedCount;
    }

    long settled() {
        return settledCount;
    }

    // ---- publishing

    Sent sends(
            String producer, boolean durable, int priority, long ttlMillis, Work work, String exchange,
            Collection<QueueModel> targets) {
        Sent sent =
                new Sent(++ids, producer, durable, priority, ttlMillis, work, exchange, limits.oldest());
        all.put(sent.id, sent);
        for (QueueModel queue : targets) {
            Copy copy = new Copy(sent, queue);
            copy.mayBeGone = queue.takers > 0 || queue.existence == QueueModel.Existence.UNKNOWN;
            long ttl = queue.ttlMillis < 0 || ttlMillis >= 0 && ttlMillis < queue.ttlMillis
                    ? ttlMillis
                    : queue.ttlMillis;
            if (ttl >= 0) {
                copy.expiresNanos = now.getAsLong() / 1_000_000 * 1_000_000 + ttl * 1_000_000;
            }
            queue.copies.put(sent.id, copy);
            sent.copies.add(copy);
            if (queue.deadLetters != null) {
                letter(sent, queue.deadLetters);
            }
            if (queue.isInCircle) {
                queues.values().stream().filter(each -> each.isInCircle).forEach(each -> {
                    Copy inCircle = each == queue ? copy : letter(sent, each);
                    inCircle.letter = true;
                    inCircle.mayBeGone = true;
                });
            }
        }
        if (work != null) {
            work.publishes.add(sent);
        }
        return sent;
    }

    private static Copy letter(Sent sent, QueueModel dead) {
        return dead.copies.computeIfAbsent(sent.id, id -> {
            Copy letter = new Copy(sent, dead);
            letter.letter = true;
            letter.mayBeGone = dead.takers > 0;
            return letter;
        });
    }

    /** It reached no queue. */
    void reachedNone(Sent sent) {
        sent.copies.forEach(copy -> copy.gone("it was not routed"));
    }

    void confirmed(Sent sent) {
        confirmedCount++;
        for (Copy copy : sent.copies) {
            copy.certain = true;
            copy.limitsEnd = Math.min(copy.limitsEnd, limits.end());
        }
    }

    /** It was refused, as an address has no room for it or never will have: so it is nowhere. */
    void refusedByLimits(Sent sent, BrokerError error) {
        Broken.unless(limits.mayRefuse(sent.limitsFrom, sent.addresses(), sent.bytes, 1, sent.copies.size()),
                "%s of %d bytes was refused, but no limit allows that: %s%s", sent, sent.bytes, error,
                limits.words(sent.limitsFrom, sent.addresses()));
        for (Copy copy : sent.copies) {
            Broken.unless(copy.holder == null, "%s was refused and delivered", copy);
            copy.gone("it was refused by its address");
            if (copy.queue.deadLetters != null) {
                Copy letter = copy.queue.deadLetters.copies.get(sent.id);
                if (letter.letter) {
                    letter.gone("it was refused by the address of its message");
                }
            }
        }
    }

    /** Whether a transaction may be refused by the limits of its addresses. */
    boolean mayRefuse(Work work) {
        long bytes = work.publishes.stream().mapToLong(sent -> sent.bytes).sum();
        List<String> addresses = work.publishes.stream().flatMap(sent -> sent.addresses().stream()).toList();
        int from = work.publishes.stream().mapToInt(sent -> sent.limitsFrom).min().orElse(0);
        return limits.mayRefuse(from, addresses, bytes, work.publishes.size(),
                work.publishes.stream().mapToInt(sent -> sent.copies.size()).max().orElse(0));
    }

    /** Its client went while it waited for room: so it is nowhere. */
    void goneWithClient(Sent sent) {
        for (Copy copy : sent.copies) {
            Broken.unless(copy.holder == null, "%s went with its client and was delivered", copy);
            copy.gone("it waited for room when its client went");
        }
    }

    void refused(Sent sent) {
        for (Copy copy : sent.copies) {
            Broken.unless(copy.queue.refuses, "%s was refused, but nothing may refuse it", copy);
            Broken.unless(copy.holder == null, "%s was refused and delivered", copy);
            // Its record may have come to the disk, and the record of its refusal may not.
            copy.mayReturn = true;
            copy.gone("it was refused");
        }
    }

    // ---- consuming

    /** A message comes to a client. */
    Copy delivered(String queueName, long id, Peer to, boolean settled) {
        QueueModel queue = queue(queueName);
        Broken.unless(queue != null, "a delivery from a queue '%s'", queueName);
        Copy copy = queue.copies.get(id);
        Broken.unless(copy != null, "message %d was delivered from %s, to which nobody sent it", id, queue);
        if (queue.isForDeadLetters && copy.letter) {
            // Dead letters may come twice after a crash: that is for the checks of what must be there.
            if (settled) {
                Broken.unless(copy.mayBeGone, "%s was settled by a delivery that nobody asked for", copy);
            }
            return copy;
        }
        copy.delivered = true;
        // What was on its way when its queue was deleted still comes.
        Broken.unless(
                !copy.gone || copy.deletedIn == life, "%s was delivered, but %s", copy, copy.goneWhy);
        Broken.unless(copy.holder == null, "%s was delivered while it was still held", copy);
        Broken.unless(copy.acceptedIn != life, "%s was delivered after it had been accepted", copy);
        Broken.unless(
                copy.sent.work == null || copy.sent.work.state != Work.State.OPEN
                        && copy.sent.work.state != Work.State.NOTHING,
                "%s was delivered", copy);
        if (settled) {
            Broken.unless(copy.mayBeGone, "%s was settled by a delivery that nobody asked for", copy);
            copy.acceptedIn = life;
        } else {
            copy.holder = to;
        }
        return copy;
    }

    /** A client sees a message, which stays where it is; it may have been taken since. */
    Copy shown(String queueName, long id) {
        QueueModel queue = queue(queueName);
        Broken.unless(queue != null, "a message was shown from a queue '%s'", queueName);
        Copy copy = queue.copies.get(id);
        Broken.unless(copy != null, "message %d was shown from %s, to which nobody sent it", id, queue);
        Broken.unless(
                copy.letter || copy.sent.work == null || copy.sent.work.state != Work.State.OPEN
                        && copy.sent.work.state != Work.State.NOTHING,
                "%s was shown", copy);
        return copy;
    }

    void accepts(Copy copy) {
        copy.holder = null;
        copy.mayBeGone = true;
        copy.acceptedIn = life;
    }

    void accepted(Copy copy) {
        settledCount++;
        if (!copy.letter) {
            copy.gone("it had been accepted, and this was answered");
        }
    }

    void rejects(Copy copy) {
        if (copy.queue.deadLetters == null) {
            accepts(copy);
            return;
        }
        copy.holder = null;
        copy.rejected = true;
        copy.acceptedIn = life;
    }

    void rejected(Copy copy) {
        if (copy.queue.deadLetters == null) {
            accepted(copy);
            return;
        }
        settledCount++;
        copy.gone("it had been rejected, and this was answered");
        Copy letter = copy.queue.deadLetters.copies.get(copy.sent.id);
        if (!copy.mayBeGone) {
            letter.certain = true;
        }
    }

    void returns(Copy copy) {
        copy.holder = null;
    }

    // ---- transactions

    Work begins(String name) {
        Work work = new Work(name);
        works.add(work);
        return work;
    }

    void accepts(Work work, Copy copy) {
        copy.holder = null;
        copy.ending = work;
        copy.acceptedIn = life;
        work.accepts.add(copy);
    }

    void committed(Work work) {
        work.state = Work.State.COMMITTED;
        work.publishes.forEach(this::confirmed);
        for (Copy copy : work.accepts) {
            accepted(copy);
            if (copy.letter) {
                copy.mayBeGone = true;
            }
        }
    }

    /** Its client has gone before the answer: what it was to accept may be back in its queue. */
    void isLost(Work work) {
        if (work.state == Work.State.COMMITTING) {
            for (Copy copy : work.accepts) {
                copy.acceptedIn = -1;
                copy.mayBeGone = true;
            }
        }
    }

    /** Nothing of it is done; what it was to accept is the client's again. */
    void isNothing(Work work, Peer client) {
        work.state = Work.State.NOTHING;
        for (Sent sent : work.publishes) {
            for (Copy copy : sent.copies) {
                copy.gone("its transaction was not done");
            }
        }
        for (Copy copy : work.accepts) {
            copy.ending = null;
            copy.acceptedIn = -1;
            if (!copy.letter) {
                copy.holder = client;
            }
        }
    }

    // ---- temporary queues

    /** A deletion was answered: what was there before it began is gone. */
    void deleted(QueueModel queue, Collection<Copy> before) {
        queue.existence = QueueModel.Existence.NO;
        queue.bound = false;
        for (Copy copy : before) {
            if (!copy.gone) {
                copy.gone("its queue was deleted");
                copy.deletedIn = life;
            }
        }
    }

    // ---- checks

    /** Whether a copy must be in its queue, or among the dead letters of that. */
    private boolean mustBe(Copy copy, boolean quiet) {
        boolean wasTaken = copy.certain || quiet && !copy.letter;
        if (!wasTaken || copy.gone || copy.mayBeGone || mayBeLimited(copy)) {
            return false;
        }
        if (copy.ending != null && copy.ending.state == Work.State.COMMITTING) {
            return false;
        }
        return isKept(copy);
    }

    /** Whether a copy must be among the ready messages of its queue. When nothing goes on. */
    boolean isReady(Copy copy) {
        QueueModel queue = copy.queue;
        boolean mayBeElsewhere = copy.gone || copy.mayBeGone || copy.rejected || copy.holder != null
                || copy.ending != null
                || copy.acceptedIn == life || copy.letter || queue.takers > 0 || queue.dropsHead || queue.temporary
                || queue.isForDeadLetters;
        return copy.certain && !mayBeElsewhere && copy.expiresNanos == Long.MAX_VALUE && copy.sent.notBeforeMillis == 0
                && !mayBeLimited(copy);
    }

    /** Whether the limits of its addresses may have kept it out of its queue, or taken it out. */
    private boolean mayBeLimited(Copy copy) {
        if (!limits.isOn()) {
            return false;
        }
        Sent sent = copy.sent;
        List<String> own = List.of(copy.queue.name);
        if (limits.mayMakeRoom(copy.limitsFrom, copy.queue.name)) {
            return true;
        }
        if (copy.letter) {
            return limits.mayDrop(copy.limitsFrom, Integer.MAX_VALUE, own)
                    || limits.mayRefuse(copy.limitsFrom, own, sent.bytes, 1, 1);
        }
        return limits.mayDrop(copy.limitsFrom, copy.limitsEnd, sent.addresses())
                || !sent.confirmed && copy.limitsEnd != copy.limitsFrom
                        && limits.mayRefuse(copy.limitsFrom, sent.addresses(), sent.bytes, 1, sent.copies.size());
    }

    /**
     * Compares how many messages a queue's account counts with the books. When loops are idle.
     *
     * @param letters dead letters of it that wait
     * @param dropped how many its account has dropped in this life of the broker
     */
    void checkCount(QueueModel queue, long counted, long letters, long dropped) {
        if (queue == null || queue.isForDeadLetters) {
            return;
        }
        long least = 0;
        Copy example = null;
        long leastStoredOrDropped = 0;
        long most = 0;
        for (Copy copy : queue.copies.values()) {
            boolean mayBeThere =
                    (!copy.gone || copy.deletedIn == life) && (copy.acceptedIn != life || copy.ending != null);
            if (mayBeThere) {
                most++;
                boolean mayHaveLeft = copy.mayBeGone || copy.rejected || queue.dropsHead || queue.temporary
                        || copy.ending != null || copy.mayBeExpired(latest());
                if (copy.certain && !copy.gone && !mayHaveLeft) {
                    leastStoredOrDropped++;
                    if (!mayBeLimited(copy)) {
                        least++;
                        example = copy;
                    }
                }
            }
        }
        Broken.unless(counted + dropped >= leastStoredOrDropped,
                "%s counts %d messages and has dropped %d, but %d were confirmed and have not left", queue, counted,
                dropped, leastStoredOrDropped);
        Broken.unless(counted >= least && counted <= most + letters,
                "%s counts %d messages and has dropped %d, but from %d to %d are there, such as %s", queue, counted,
                dropped, least, most, example);
    }

    /** Whether nothing but a client takes it away. */
    private boolean isKept(Copy copy) {
        boolean mayLeave = copy.queue.dropsHead || copy.mayBeExpired(latest());
        return !mayLeave || copy.queue.deadLetters != null;
    }

    private boolean isThere(Copy copy, Contents contents) {
        if (contents.has(copy)) {
            return true;
        }
        boolean mayHaveDied = copy.rejected || copy.queue.dropsHead || copy.mayBeExpired(latest());
        if (copy.queue.deadLetters == null || !mayHaveDied) {
            return false;
        }
        Copy letter = copy.queue.deadLetters.copies.get(copy.sent.id);
        return letter.mayBeGone || letter.ending != null || contents.has(letter) || mayBeLimited(letter);
    }

    /**
     * Compares what was found with the books.
     *
     * @param onDisk whether it was read from what a crash at this moment would leave, so that transient messages are not in it
     * @param quiet whether every command was answered, so that what was published without a confirm must be there, too
     */
    void check(Contents contents, boolean onDisk, boolean quiet) {
        for (QueueModel queue : queues.values()) {
            if (onDisk && !queue.durable) {
                continue;
            }
            Broken.unless(
                    queue.existence != QueueModel.Existence.YES || contents.has(queue), "%s does not exist", queue);
            Broken.unless(
                    queue.existence != QueueModel.Existence.NO || !contents.has(queue), "%s exists", queue);
            if (queue.existence == QueueModel.Existence.YES && queue.bound) {
                Broken.unless(contents.isBound(queue), "%s is not bound", queue);
            }
            checkFound(queue, contents, onDisk);
            for (Copy copy : queue.copies.values()) {
                boolean there = !onDisk || copy.isDurable();
                if (there && mustBe(copy, quiet) && !isThere(copy, contents)) {
                    throw new Broken(copy + " is not there" + (copy.rejected ? ", nor its dead letter" : ""));
                }
            }
        }
        for (Work work : works) {
            if (work.state == Work.State.COMMITTING) {
                checkAllOrNothing(work, contents);
            }
        }
    }

    private void checkFound(QueueModel queue, Contents contents, boolean onDisk) {
        Set<Long> seen = new HashSet<>();
        Map<String, Long> last = new HashMap<>();
        for (long id : contents.of(queue)) {
            Copy copy = queue.copies.get(id);
            Broken.unless(copy != null, "message %d is in %s, to which nobody sent it", id, queue);
            Broken.unless(!onDisk || copy.sent.durable, "%s is there after the broker's end", copy);
            Broken.unless(!copy.gone || copy.mayReturn && onDisk, "%s is there, but %s", copy, copy.goneWhy);
            if (copy.sent.work != null && !copy.letter) {
                Work.State state = copy.sent.work.state;
                Broken.unless(state != Work.State.OPEN && state != Work.State.NOTHING, "%s is there", copy);
            }
            if (queue.isForDeadLetters) {
                continue;
            }
            Broken.unless(seen.add(id), "%s is there twice", copy);
            if (limits.isOn() && queue.sendsDeadLetters() && (copy.delivered || copy.mayBeExpired(latest()))) {
                // Dead letters that have waited come back before all others, in the order in which they left.
                continue;
            }
            if (copy.sent.notBeforeMillis > 0) {
                continue;
            }
            String order = copy.sent.producer + '/' + queue.level(copy.sent);
            Long before = last.put(order, id);
            Broken.unless(before == null || before < id, "%s comes behind message %d", copy, before);
        }
    }

    private void checkAllOrNothing(Work work, Contents contents) {
        String done = null;
        String open = null;
        for (Sent sent : work.publishes) {
            for (Copy copy : sent.copies) {
                if (!copy.isDurable()) {
                    continue;
                }
                if (contents.has(copy)) {
                    done = copy + " is there";
                } else
                    if (!copy.mayBeGone && !copy.gone && copy.ending == null && isKept(copy)
                            && !mayBeLimited(copy) && !isThere(copy, contents)) {
                                open = copy + " is not there";
                            }
            }
        }
        for (Copy copy : work.accepts) {
            if (!copy.isDurable() || copy.letter) {
                continue;
            }
            if (contents.has(copy)) {
                open = copy + " is still there";
            } else
                if (copy.certain && !copy.mayBeGone && !copy.gone && !copy.rejected && !copy.queue.dropsHead
                        && !copy.mayBeExpired(latest()) && !mayBeLimited(copy)) {
                            done = copy + " is gone";
                        }
        }
        Broken.unless(done == null || open == null, "%s is done in part: %s, but %s", work, done, open);
    }

    // ---- the broker's end

    /** All that was in memory is lost, and nothing under way will be answered. */
    void lostMemory() {
        life++;
        for (QueueModel queue : queues.values()) {
            queue.takers = 0;
            queue.changing = false;
            if (!queue.durable) {
                queue.existence = QueueModel.Existence.NO;
                queue.bound = false;
            }
            for (Copy copy : queue.copies.values()) {
                copy.holder = null;
                if (!copy.isDurable() && !copy.gone) {
                    copy.gone("it was in memory only when the broker ended");
                }
                if (copy.mayReturn) {
                    copy.gone = false;
                    copy.mayReturn = false;
                    copy.mayBeGone = true;
                }
            }
        }
        for (Work work : works) {
            if (work.state == Work.State.OPEN) {
                isNothing(work, null);
            }
        }
    }

    /** What was open is decided by what was found after the crash. */
    void settleBy(Contents contents) {
        for (QueueModel queue : queues.values()) {
            if (!queue.durable) {
                continue;
            }
            queue.existence = contents.has(queue) ? QueueModel.Existence.YES : QueueModel.Existence.NO;
            queue.bound = contents.isBound(queue);
            for (Copy copy : queue.copies.values()) {
                if (!copy.gone) {
                    settle(copy, contents);
                }
            }
        }
        for (Work work : works) {
            if (work.state == Work.State.COMMITTING) {
                work.state = Work.State.SETTLED_BY_CRASH;
            }
        }
        for (QueueModel queue : queues.values()) {
            queue.copies.values().forEach(copy -> copy.ending = null);
        }
    }

    private void settle(Copy copy, Contents contents) {
        if (copy.queue.dropsHead || copy.mayBeExpired(latest()) && copy.queue.deadLetters != null) {
            // The broker itself may still move it. What is not certain stays so.
            copy.mayBeGone |= copy.ending != null || !copy.certain || mayBeLimited(copy);
            return;
        }
        if (copy.queue.isInCircle) {
            return;
        }
        if (contents.has(copy)) {
            if (!copy.letter || hasLeftForCertain(copy)) {
                copy.certain = true;
                copy.mayBeGone = false;
                copy.rejected = false;
                copy.limitsFrom = limits.end() - 1;
                copy.limitsEnd = copy.limitsFrom;
            }
            return;
        }
        boolean mayBeDropped = limits.mayMakeRoom(limits.end() - 1, copy.queue.name);
        boolean onlyLater = copy.queue.hasDelayed() || limits.mayCycle(limits.end() - 1, copy.queue.name);
        if (copy.letter || copy.queue.isForDeadLetters || contents.waitedUntilNanos > 0 && copy.mayBeExpired(latest())
                || mayBeDropped && onlyLater) {
            // A ring also drops when delayed messages are due, and one by a rule about consumers is told of that some turns after
            // a start; until then a consumer may take what the look saw dropped.
            copy.mayBeGone = true;
            return;
        }
        // What a ring drops when it starts is dropped by every start from this disk, but the log need not have heard of it when
        // the next crash comes, and then there may be no ring any more.
        copy.mayReturn = mayBeDropped;
        copy.gone("a start of the broker did not find it");
    }

    /** Whether a letter's own message can't die again. */
    private boolean hasLeftForCertain(Copy letter) {
        return letter.sent.copies.stream()
                .filter(copy -> copy.queue.deadLetters == letter.queue)
                .allMatch(copy -> copy.gone);
    }
}
