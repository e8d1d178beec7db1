package io.sluicemq.crash;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the broker owes: every message that was sent, to which queues, what was answered, who got it, how it was
 * settled. It lives outside the broker's process, so nothing of it is lost. All threads write here, under its monitor.
 *
 * <p>Each restart is an {@link #audit}: what every queue holds then is judged by what was known before, and is what is
 * known from then on. A copy that is found to be gone has ended, and must never be seen again.
 */
final class Ledger {

    /**
     * Acks of AMQP 0-9-1 have no answer, and an answer to a later command tells that the broker has read them, not that
     * they are on disk. This long after such an answer they must be.
     */
    static final long SETTLED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A message as a queue gave it after a restart. */
    record Found(long id, boolean redelivered) {}

    /** Why a copy is gone. */
    private record End(String why, int life) {}

    private static final class Contents {
        final Map<Long, Copy> live = new HashMap<>();
        final Map<Long, End> ended = new HashMap<>();
        int unsettled;
    }

    /** What a restart has shown of a transaction whose commit was not answered. */
    private static final class Evidence {
        String applied;
        String missing;
    }

    private final Findings findings;
    private final Map<String, Contents> queues = new HashMap<>();
    private int life = 1;
    private boolean stopping;
    /** {@link System#nanoTime} just before the broker was told to end that time. */
    private long endedAt;

    Ledger(Findings findings) {
        this.findings = findings;
        Queues.ALL.forEach(queue -> queues.put(queue, new Contents()));
    }

    // ---- what producers do -----------------------------------------------------------------------------------------

    /** Notes a message before it is sent. */
    synchronized Publication publish(long id, boolean persistent, List<String> to, Transaction transaction) {
        Publication publication = new Publication(id, persistent, transaction);
        for (String queue : to) {
            Contents contents = queues.get(queue);
            contents.live.put(id, new Copy(publication));
            contents.unsettled++;
        }
        return publication;
    }

    /** Notes that messages were confirmed. */
    synchronized void confirm(Collection<Publication> publications) {
        long now = System.nanoTime();
        publications.forEach(publication -> publication.confirmedAt = now);
    }

    synchronized void committing(Transaction transaction) {
        transaction.state = Transaction.State.COMMITTING;
    }

    synchronized void committed(Transaction transaction) {
        transaction.state = Transaction.State.COMMITTED;
        transaction.committedAt = System.nanoTime();
    }

    /**
     * Notes that a transaction is going to be rolled back, or its channel closed.
     *
     * @param acked the copies that it acks, which stay where they are
     */
    synchronized void rollingBack(Transaction transaction, Collection<Copy> acked) {
        transaction.state = Transaction.State.ROLLED_BACK;
        acked.forEach(copy -> copy.settlement = null);
    }

    /** How many messages of a queue nobody has settled. */
    synchronized int backlog(String queue) {
        return queues.get(queue).unsettled;
    }

    // ---- what consumers do -----------------------------------------------------------------------------------------

    /** Notes a delivery. Returns what was delivered; null, and a fault is noted, if it must not have been. */
    synchronized Copy deliver(String queue, byte[] body, boolean redelivered) {
        long id = Body.read(body);
        Contents contents = queues.get(queue);
        Copy copy = contents.live.get(id);
        if (copy == null) {
            findings.fault("delivered: " + stranger(queue, id, body.length));
            return null;
        }
        String name = name(queue, copy);
        if (!copy.recovered && !copy.publication.mayBe()) {
            findings.fault("delivered: " + name + ", of a transaction that was not committed");
        }
        Settlement settlement = copy.settlement;
        if (settlement != null && (settlement.transaction == null || settlement.transaction.mayApply())) {
            if (!stopping || settlement.isAnswered()) {
                findings.fault("delivered: " + name + ", which was settled in this life of the broker");
                return null;
            }
            findings.count("duplicates: acked when the broker no longer listened");
        }
        if (copy.deliveredAt != 0 && !redelivered) {
            findings.fault("delivered: " + name + " again, without a sign that it is a redelivery");
        }
        if (copy.deliveredAt == 0) {
            copy.deliveredAt = System.nanoTime();
        }
        return copy;
    }

    /** Notes acks before they are sent. */
    synchronized void settle(Collection<Copy> copies, Settlement settlement) {
        copies.forEach(copy -> copy.settlement = settlement);
    }

    /** Notes that the broker has read the acks of a settlement. */
    synchronized void read(Settlement settlement) {
        settlement.readAt = System.nanoTime();
    }

    /**
     * Notes that the broker is about to be told to stop. It closes one connection after another then: what it no longer
     * reads of the first may make it deliver to the second what is acked.
     */
    synchronized void stopping() {
        stopping = true;
    }

    // ---- restarts --------------------------------------------------------------------------------------------------

    /**
     * Judges what all queues hold after a restart.
     *
     * @param found the messages of each queue, in order
     * @param endedAt {@link System#nanoTime} just before the broker was told to end
     * @param orderly whether it was told by SIGTERM: then all that it has read is kept
     */
    synchronized void audit(Map<String, List<Found>> found, long endedAt, boolean orderly) {
        this.endedAt = endedAt;
        Map<Transaction, Evidence> evidence = new IdentityHashMap<>();
        Map<Long, int[]> partly = new HashMap<>();
        long boundary = orderly ? endedAt : endedAt - SETTLED_AFTER_NANOS;
        found.forEach((queue, messages) -> {
            Contents contents = queues.get(queue);
            Map<Long, Copy> there = present(queue, contents, messages, boundary, evidence, partly);
            absent(queue, contents, there, evidence, partly);
            contents.live.clear();
            contents.live.putAll(there);
            contents.unsettled = there.size();
            findings.count("messages found after restarts", there.size());
        });
        for (Evidence each : evidence.values()) {
            if (each.applied != null && each.missing != null) {
                findings.fault("after restart " + life + ": half of a transaction: " + each.applied + ", but "
                        + each.missing);
            }
            findings.count(each.applied != null
                    ? "unanswered commits that were kept"
                    : "unanswered commits that left no trace");
        }
        findings.count("unconfirmed messages that are in some of their queues only",
                partly.values().stream().filter(counts -> counts[0] > 0 && counts[1] > 0).count());
        life++;
        stopping = false;
    }

    private Map<Long, Copy> present(String queue, Contents contents, List<Found> messages, long boundary,
            Map<Transaction, Evidence> evidence, Map<Long, int[]> partly) {
        Map<Long, Copy> there = new HashMap<>();
        Map<Integer, Long> last = new HashMap<>();
        long now = System.nanoTime();
        for (Found message : messages) {
            Copy copy = contents.live.get(message.id());
            if (copy == null) {
                fault(stranger(queue, message.id(), -1));
                continue;
            }
            if (there.putIfAbsent(message.id(), copy) != null) {
                fault(name(queue, copy) + " is there twice");
                continue;
            }
            long sequence = Body.sequence(message.id());
            Long before = last.put(Body.producer(message.id()), sequence);
            if (before != null && before > sequence) {
                fault(name(queue, copy) + " is behind message " + before + " of the same producer");
            }
            judgePresent(queue, copy, message.redelivered(), boundary, evidence);
            if (!copy.recovered && !copy.publication.isCertain() && copy.publication.transaction == null) {
                partly.computeIfAbsent(message.id(), key -> new int[2])[0]++;
            }
            copy.recovered = true;
            copy.settlement = null;
            copy.deliveredAt = now;
        }
        return there;
    }

    private void judgePresent(String queue, Copy copy, boolean redelivered, long boundary,
            Map<Transaction, Evidence> evidence) {
        String name = name(queue, copy);
        Transaction publishedIn = copy.publication.transaction;
        if (!copy.recovered && publishedIn != null) {
            if (!publishedIn.mayApply()) {
                fault(name + " is there, of a transaction that was not committed");
            } else if (publishedIn.state == Transaction.State.COMMITTING) {
                of(evidence, publishedIn).applied = name + " was published";
            }
        }
        if (copy.deliveredAt != 0 && copy.deliveredAt < boundary && !redelivered) {
            fault(name + " was delivered before, and comes without a sign that it is a redelivery");
        }
        Settlement settlement = copy.settlement;
        if (settlement == null) {
            return;
        }
        if (settlement.transaction == null) {
            if (settlement.readAt != 0 && settlement.readAt <= boundary) {
                fault(name + " is back, whose ack the broker had read "
                        + TimeUnit.NANOSECONDS.toMillis(boundary - settlement.readAt) + " ms before it had to be kept");
            } else {
                findings.count(redelivered
                        ? "duplicates: acked shortly before the end, and back"
                        : "duplicates: delivered and acked in the last moment, and back without a sign");
            }
        } else if (settlement.transaction.state == Transaction.State.COMMITTED) {
            fault(name + " is back, whose ack was committed " + beforeTheEnd(settlement.transaction.committedAt));
        } else if (settlement.transaction.state == Transaction.State.COMMITTING) {
            of(evidence, settlement.transaction).missing = name + " was not acked";
        }
    }

    private void absent(String queue, Contents contents, Map<Long, Copy> there, Map<Transaction, Evidence> evidence,
            Map<Long, int[]> partly) {
        Map<String, End> ends = new HashMap<>();
        contents.live.forEach((id, copy) -> {
            if (!there.containsKey(id)) {
                String why = judgeAbsent(queue, copy, evidence, partly);
                contents.ended.put(id, ends.computeIfAbsent(why, key -> new End(key, life)));
            }
        });
    }

    /** Returns why it is gone. */
    private String judgeAbsent(String queue, Copy copy, Map<Transaction, Evidence> evidence, Map<Long, int[]> partly) {
        String name = name(queue, copy);
        Settlement settlement = copy.settlement;
        Transaction settledIn = settlement == null ? null : settlement.transaction;
        boolean maybeSettled = settlement != null && (settledIn == null || settledIn.mayApply());
        if (maybeSettled) {
            if (settledIn != null && settledIn.state == Transaction.State.COMMITTING && copy.isCertain()) {
                of(evidence, settledIn).applied = name + " was acked";
            }
            return "it was acked";
        }
        if (copy.isCertain()) {
            fault(name + " is lost, which "
                    + (copy.recovered
                            ? "was there after an earlier restart"
                            : copy.publication.transaction == null
                                    ? "was confirmed " + beforeTheEnd(copy.publication.confirmedAt)
                                    : "was committed " + beforeTheEnd(copy.publication.transaction.committedAt))
                    + (settlement == null ? "" : " (its ack was in a transaction that was not committed)"));
            return "it was lost";
        }
        if (!copy.publication.persistent) {
            findings.count("transient messages that are gone");
            return "it was transient";
        }
        Transaction publishedIn = copy.publication.transaction;
        if (publishedIn == null) {
            partly.computeIfAbsent(copy.publication.id, key -> new int[2])[1]++;
            findings.count("unconfirmed messages that are gone");
            return "it was not confirmed";
        }
        if (publishedIn.state == Transaction.State.COMMITTING) {
            of(evidence, publishedIn).missing = name + " was not published";
        }
        return "its transaction was not committed";
    }

    private String beforeTheEnd(long nanoTime) {
        return TimeUnit.NANOSECONDS.toMillis(endedAt - nanoTime) + " ms before the end";
    }

    private static Evidence of(Map<Transaction, Evidence> evidence, Transaction transaction) {
        return evidence.computeIfAbsent(transaction, key -> new Evidence());
    }

    private void fault(String what) {
        findings.fault("after restart " + life + ": " + what);
    }

    private String stranger(String queue, long id, int bytes) {
        if (id < 0) {
            return "a body in " + queue + (bytes < 0 ? "" : " of " + bytes + " bytes") + " that nobody has sent";
        }
        End end = queues.get(queue).ended.get(id);
        return "message " + Body.name(id) + " in " + queue + ", "
                + (end == null
                        ? "which was not sent there"
                        : "which was gone after restart " + end.life() + " since " + end.why());
    }

    private static String name(String queue, Copy copy) {
        return "message " + Body.name(copy.publication.id) + " in " + queue;
    }

    /** How many copies were, or are, in queues. */
    synchronized long copies() {
        List<Contents> all = new ArrayList<>(queues.values());
        return all.stream().mapToLong(contents -> contents.live.size() + contents.ended.size()).sum();
    }
}
