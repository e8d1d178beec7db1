package io.sluicemq.broker.queue;

import io.sluicemq.base.LoopOwned;

/**
 * Which consumer has which groups of messages. All ready and unsettled messages of a group go to one consumer, in their order, from
 * the first that it is given until it ends and what it held is back or gone; then to another. A group that is nobody's goes to
 * the consumer with the fewest, among those whose turn it may be.
 *
 * <p>Groups are told apart by a hash of {@value #BUCKETS} values, so that any number of them takes the same memory, and none
 * before the first message of a group: groups with the same value have the same consumer. A message that the group's consumer
 * does not want, by its filter or as it has refused it, may go to others, and the group stays where it is. Who gets single
 * messages takes no part in this.
 *
 * <p>Owned by the queue's loop. Invariant: a bucket without a consumer has no unsettled messages; one whose consumer has ended has.
 */
@LoopOwned
final class Groups {

    static final int BUCKETS = 1024;

    private final Consumers consumers;
    private QueueConsumer[] owners;
    /** How many messages of each bucket its consumer holds. */
    private int[] held;
    /** How many messages of groups are ready in memory. */
    private int readyMessages;

    Groups(Consumers consumers) {
        this.consumers = consumers;
    }

    static int bucket(String group) {
        int hash = group.hashCode() * 0x9E3779B9;
        return hash >>> 32 - Integer.numberOfTrailingZeros(BUCKETS);
    }

    /** Whether there are ready messages in memory that not all consumers may have. */
    boolean anyReady() {
        return readyMessages > 0;
    }

    /** A message is among the ready ones in memory. */
    void ready(QueueEntry entry) {
        if (entry.message.group() != null && readyMessages++ == 0) {
            consumers.lookDifferently();
        }
    }

    /** It is no more. */
    void left(QueueEntry entry) {
        if (entry.message.group() != null && --readyMessages == 0) {
            // Some may have left the line as nothing was for them.
            consumers.lookDifferently();
        }
    }

    /** Whether a consumer who wants a message of a group may have it. */
    boolean allows(QueueEntry entry, QueueConsumer consumer) {
        if (owners == null) {
            return true;
        }
        QueueConsumer owner = owners[bucket(entry.message.group())];
        return owner == null || owner == consumer || !owner.hasEnded() && !owner.wants(entry);
    }

    /** Who is to have a message that {@code consumer} may have, whose turn it is. */
    QueueConsumer chosen(QueueEntry entry, QueueConsumer consumer) {
        if (entry.message.group() == null || owners != null && owners[bucket(entry.message.group())] != null) {
            return consumer;
        }
        QueueConsumer chosen = consumer;
        for (QueueConsumer each : consumers.all()) {
            if (each.groups < chosen.groups
                    && !each.browses()
                    && each.spec().priority() == consumer.spec().priority()
                    && each.canTake()
                    && consumers.takesPart(each)
                    && each.wants(entry)) {
                chosen = each;
            }
        }
        return chosen;
    }

    /** A consumer is given a message. */
    void taken(QueueEntry entry, QueueConsumer consumer) {
        if (entry.message.group() == null || consumer.hasEnded()) {
            return;
        }
        if (owners == null) {
            owners = new QueueConsumer[BUCKETS];
            held = new int[BUCKETS];
        }
        int bucket = bucket(entry.message.group());
        if (owners[bucket] == null) {
            owners[bucket] = consumer;
            consumer.groups++;
        }
        if (owners[bucket] == consumer && !consumer.settles()) {
            held[bucket]++;
            entry.inGroup = true;
        }
    }

    /** A message has left its group's consumer: it is gone, or ready again. */
    void settled(QueueEntry entry, QueueConsumer consumer) {
        entry.inGroup = false;
        int bucket = bucket(entry.message.group());
        held[bucket]--;
        if (held[bucket] == 0 && consumer.hasEnded()) {
            owners[bucket] = null;
            consumers.lookAgain();
        }
    }

    /** A consumer has ended: what it holds nothing of is free. */
    void ended(QueueConsumer consumer) {
        if (owners == null) {
            return;
        }
        boolean freed = false;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (owners[bucket] == consumer && held[bucket] == 0) {
                owners[bucket] = null;
                freed = true;
            }
        }
        if (freed) {
            consumers.lookAgain();
        }
    }
}
