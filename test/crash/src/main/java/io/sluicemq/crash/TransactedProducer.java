package io.sluicemq.crash;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/**
 * Publishes in transactions, of which it rolls some back and leaves some open when it closes the channel. One thread's.
 */
final class TransactedProducer implements Client {

    private static final long PAUSE_NANOS = 2_000_000;

    private final int producer;
    private final int backlogLimit;
    private final Ledger ledger;
    private final Findings findings;
    private long sequence;

    TransactedProducer(int producer, int backlogLimit, Ledger ledger, Findings findings) {
        this.producer = producer;
        this.backlogLimit = backlogLimit;
        this.ledger = ledger;
        this.findings = findings;
    }

    @Override
    public void run(Connection connection, Random random) throws IOException, TimeoutException {
        while (true) {
            Channel channel = connection.createChannel();
            channel.txSelect();
            Transaction open;
            do {
                while (Queues.ALL.stream().anyMatch(queue -> ledger.backlog(queue) > backlogLimit)) {
                    Client.pause(channel, PAUSE_NANOS);
                }
                open = transact(channel, random);
            } while (open == null);
            ledger.rollingBack(open, List.of());
            channel.close();
            findings.count("transactions cut by closing their channel");
        }
    }

    /** Returns the transaction if it is to stay open. */
    private Transaction transact(Channel channel, Random random) throws IOException {
        Transaction transaction = new Transaction();
        int messages = 1 + random.nextInt(10);
        for (int i = 0; i < messages; i++) {
            Queues.Route route = Queues.anyRoute(random);
            boolean persistent = random.nextInt(10) != 0;
            long id = Body.id(producer, ++sequence);
            ledger.publish(id, persistent, route.queues(), transaction);
            channel.basicPublish(route.exchange(), route.key(), ConfirmingProducer.properties(persistent),
                    Body.of(id, Queues.anySize(random)));
        }
        int choice = random.nextInt(10);
        if (choice == 0) {
            return transaction;
        }
        if (choice == 1) {
            ledger.rollingBack(transaction, List.of());
            channel.txRollback();
            findings.count("transactions rolled back");
        } else {
            ledger.committing(transaction);
            channel.txCommit();
            ledger.committed(transaction);
            findings.count("transactions committed");
        }
        return null;
    }
}
