package io.sluicemq.crash;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/**
 * Consumes a queue in transactions; in most of them it also publishes a message to another queue for each that it acks.
 * Some it rolls back, after which it holds the messages still, and some it leaves open when it closes the channel. One
 * thread's.
 */
final class TransactedMover implements Client {

    private static final long WAIT_MILLIS = 20;

    private final int producer;
    private final String from;
    private final int backlogLimit;
    private final Ledger ledger;
    private final Findings findings;
    private long sequence;

    TransactedMover(int producer, String from, int backlogLimit, Ledger ledger, Findings findings) {
        this.producer = producer;
        this.from = from;
        this.backlogLimit = backlogLimit;
        this.ledger = ledger;
        this.findings = findings;
    }

    @Override
    public void run(Connection connection, Random random) throws IOException, TimeoutException, InterruptedException {
        while (true) {
            Channel channel = connection.createChannel();
            channel.txSelect();
            channel.basicQos(30);
            Inbox inbox = new Inbox(channel);
            channel.basicConsume(from, false, inbox);
            move(channel, inbox, random);
            channel.close();
            findings.count("transactions cut by closing their channel");
        }
    }

    private void move(Channel channel, Inbox inbox, Random random) throws IOException, InterruptedException {
        List<Long> tags = new ArrayList<>();
        List<Copy> copies = new ArrayList<>();
        long pauseNanos = Client.anyPause(random);
        while (true) {
            int wanted = 1 + random.nextInt(10);
            while (copies.size() < wanted) {
                Inbox.Delivery delivery = inbox.next(WAIT_MILLIS);
                if (delivery == null) {
                    Client.pause(channel, 0);
                    continue;
                }
                Client.pause(channel, pauseNanos);
                Copy copy = ledger.deliver(from, delivery.body(), delivery.redelivered());
                findings.count("delivered");
                if (copy != null) {
                    tags.add(delivery.tag());
                    copies.add(copy);
                }
            }
            Transaction transaction = new Transaction();
            acknowledge(channel, transaction, tags, copies, random.nextBoolean());
            if (random.nextInt(4) != 0) {
                publish(channel, transaction, copies.size(), random);
            }
            int choice = random.nextInt(12);
            if (choice == 0) {
                ledger.rollingBack(transaction, copies);
                return;
            }
            if (choice == 1) {
                ledger.rollingBack(transaction, copies);
                channel.txRollback();
                findings.count("transactions rolled back");
                continue;
            }
            ledger.committing(transaction);
            channel.txCommit();
            ledger.committed(transaction);
            findings.count("transactions committed");
            tags.clear();
            copies.clear();
        }
    }

    private void acknowledge(Channel channel, Transaction transaction, List<Long> tags, List<Copy> copies,
            boolean multiple) throws IOException {
        ledger.settle(copies, new Settlement(transaction));
        if (multiple) {
            channel.basicAck(tags.getLast(), true);
        } else {
            for (long tag : tags) {
                channel.basicAck(tag, false);
            }
        }
        findings.count("acked in transactions", tags.size());
    }

    private void publish(Channel channel, Transaction transaction, int messages, Random random) throws IOException {
        for (int i = 0; i < messages; i++) {
            String queue = Queues.any(Queues.MOVED, random);
            if (ledger.backlog(queue) <= backlogLimit) {
                long id = Body.id(producer, ++sequence);
                ledger.publish(id, true, List.of(queue), transaction);
                channel.basicPublish("", queue, ConfirmingProducer.properties(true),
                        Body.of(id, Queues.anySize(random)));
            }
        }
    }
}
