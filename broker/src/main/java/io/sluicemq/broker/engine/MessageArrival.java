package io.sluicemq.broker.engine;

import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.SharedCharge;

/** One message that is to come into queues. Owned by the loop that it comes from. */
@LoopOwned
abstract class MessageArrival extends Arrival {

    private final LoopContext context;
    private final Message message;
    private final Account exchange;

    /** @param exchange the account of the exchange that it comes by; null if there is none */
    MessageArrival(LoopContext context, Message message, QueueProxy[] targets, Account exchange) {
        super(targets, commons(exchange));
        this.context = context;
        this.message = message;
        this.exchange = exchange;
    }

    final Message message() {
        return message;
    }

    /** In which targets room was reserved for it; from now on it counts for its exchange, too. */
    final boolean[] takeReserved() {
        QueueProxy[] targets = targets();
        boolean[] reserved = new boolean[targets.length];
        for (int i = 0; i < reserved.length; i++) {
            reserved[i] = isReserved(i);
        }
        if (exchange != null && targets.length > 0) {
            message.charge(new SharedCharge(exchange, message.sizeBytes(), targets.length));
        }
        return reserved;
    }

    @Override
    final long bytes(int target) {
        return message.sizeBytes();
    }

    @Override
    final long messages(int target) {
        return 1;
    }

    @Override
    final long bytesFor(QueueProxy target) {
        return message.sizeBytes();
    }

    @Override
    final long messagesFor(QueueProxy target) {
        return 1;
    }

    @Override
    final long commonBytes(Account account) {
        return account == exchange ? SharedCharge.bytes(message.sizeBytes(), targets().length) : 0;
    }

    @Override
    final long commonMessages(Account account) {
        return account == exchange && targets().length > 0 ? 1 : 0;
    }

    @Override
    final void heldTooLong(Account account) {
        context.tally.refusedByPolicy++;
        account.refusedByPolicy();
        refused(account.heldTooLong());
    }

    @Override
    final long memoryBytes() {
        return message.sizeBytes();
    }

    @Override
    final void droppedFor(int target, Account full) {
        context.tally.droppedByPolicy++;
        full.droppedByPolicy();
    }

    @Override
    final QueueProxy[] droppedFor(Account full) {
        context.tally.droppedByPolicy++;
        full.droppedByPolicy();
        return Route.NOWHERE.targets();
    }
}
