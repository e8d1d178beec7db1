package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a channel in transaction mode (class tx) has done since its last commit or rollback. Owned by the connection's
 * loop. The broker holds the publishes and settlements; here is what the client gets back at a rollback, and what it is
 * told at the commit.
 */
@LoopOwned
final class ChannelTransaction {

    private record Taken(long tag, Delivery delivery, ChannelConsumer consumer) {}

    private final Client client;
    private Client.Transaction transaction;
    private List<Taken> taken = new ArrayList<>(0);
    private List<Taken> committing = new ArrayList<>(0);
    private List<Message> unroutable = new ArrayList<>(0);
    private List<Delivery> group = new ArrayList<>(0);

    ChannelTransaction(Client client) {
        this.client = client;
        this.transaction = client.begin();
    }

    /** As {@link Client#publish}. */
    int publish(Message message) {
        return transaction.publish(message);
    }

    /** A mandatory message that no queue will get: it is returned at the commit. */
    void returnAtCommit(Message message) {
        unroutable.add(message);
    }

    /** One settlement by the client, of a group that {@link #settle} ends. */
    void take(long tag, Delivery delivery, ChannelConsumer consumer) {
        taken.add(new Taken(tag, delivery, consumer));
        group.add(delivery);
    }

    /** How the group ends if the transaction is committed. */
    void settle(Outcome outcome) {
        if (!group.isEmpty()) {
            transaction.settle(group, outcome);
            group = new ArrayList<>();
        }
    }

    /**
     * Does it all; {@code reply} comes when it is done or refused, and {@link #settlementsDone} or {@link
     * #settlementsRefused} is to follow. What comes next goes into a new transaction.
     */
    void commit(Reply<Void> reply) {
        Client.Transaction committed = transaction;
        committing = taken;
        taken = new ArrayList<>(0);
        transaction = client.begin();
        committed.commit(reply);
    }

    /** The messages to return to the client, after a commit. */
    List<Message> takeUnroutable() {
        List<Message> messages = unroutable;
        unroutable = new ArrayList<>(0);
        return messages;
    }

    /** After a commit: the settlements are done. Calls {@code gate} for each that counted in a consumer's allowance. */
    void settlementsDone(DeliveryGate gate) {
        for (Taken each : committing) {
            if (each.consumer != null) {
                gate.settled();
            }
        }
        committing = new ArrayList<>(0);
    }

    /** After a refused commit: nothing is settled. */
    void settlementsRefused() {
        taken.addAll(committing);
        committing = new ArrayList<>(0);
    }

    /** Forgets the publishes; returns what was settled. */
    UnackedDeliveries rollback() {
        unroutable = new ArrayList<>(0);
        UnackedDeliveries settled = takeBack();
        transaction = client.begin();
        return settled;
    }

    /** Ends the transaction; returns what was settled since the last commit, which is now as it was before. */
    UnackedDeliveries takeBack() {
        transaction.discard();
        taken.sort(Comparator.comparingLong(Taken::tag));
        UnackedDeliveries sorted = new UnackedDeliveries();
        for (Taken each : taken) {
            sorted.add(each.tag, each.delivery, each.consumer);
        }
        taken = new ArrayList<>(0);
        return sorted;
    }
}
