package io.sluicemq.crash;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/**
 * Consumes a queue and acks, one message or several at a time; now and then it gives a message back, discards one, or
 * closes its channel with messages that it has not acked. After some acks it asks something, so as to know that the
 * broker has read them. One thread's.
 */
final class AckingConsumer implements Client {

    private static final long WAIT_MILLIS = 20;

    private record Held(long tag, Copy copy) {}

    private final String queue;
    private final Ledger ledger;
    private final Findings findings;

    AckingConsumer(String queue, Ledger ledger, Findings findings) {
        this.queue = queue;
        this.ledger = ledger;
        this.findings = findings;
    }

    @Override
    public void run(Connection connection, Random random) throws IOException, TimeoutException, InterruptedException {
        while (true) {
            Channel channel = connection.createChannel();
            channel.basicQos(1 + random.nextInt(100));
            Inbox inbox = new Inbox(channel);
            channel.basicConsume(queue, false, inbox);
            consume(channel, inbox, random);
            channel.close();
            findings.count("channels closed with messages unacked");
        }
    }

    private void consume(Channel channel, Inbox inbox, Random random) throws IOException, InterruptedException {
        Deque<Held> unacked = new ArrayDeque<>();
        Settlement settlement = new Settlement(null);
        int unread = 0;
        long pauseNanos = Client.anyPause(random);
        do {
            Inbox.Delivery delivery = inbox.next(WAIT_MILLIS);
            if (delivery == null) {
                Client.pause(channel, 0);
                settleAll(channel, unacked, settlement);
                unread += 1;
            } else {
                Client.pause(channel, pauseNanos);
                Copy copy = ledger.deliver(queue, delivery.body(), delivery.redelivered());
                findings.count("delivered");
                if (copy != null) {
                    unacked.addLast(new Held(delivery.tag(), copy));
                }
                unread += settle(channel, unacked, settlement, random);
            }
            if (unread > 50 || unread > 0 && delivery == null) {
                channel.queueDeclarePassive(queue);
                ledger.read(settlement);
                settlement = new Settlement(null);
                unread = 0;
            }
        } while (random.nextInt(2_000) != 0);
    }

    private void settleAll(Channel channel, Deque<Held> unacked, Settlement settlement) throws IOException {
        if (!unacked.isEmpty()) {
            ledger.settle(unacked.stream().map(Held::copy).toList(), settlement);
            channel.basicAck(unacked.getLast().tag(), true);
            findings.count("acked", unacked.size());
            unacked.clear();
        }
    }

    /** Returns how many messages it has settled. */
    private int settle(Channel channel, Deque<Held> unacked, Settlement settlement, Random random) throws IOException {
        if (unacked.isEmpty()) {
            return 0;
        }
        int choice = random.nextInt(100);
        if (choice < 50) {
            Held held = random.nextBoolean() ? unacked.pollFirst() : unacked.pollLast();
            ledger.settle(List.of(held.copy()), settlement);
            channel.basicAck(held.tag(), false);
            findings.count("acked");
            return 1;
        }
        if (choice < 70) {
            int several = 1 + random.nextInt(unacked.size());
            List<Copy> copies = new ArrayList<>();
            long tag = 0;
            for (int i = 0; i < several; i++) {
                Held held = unacked.pollFirst();
                copies.add(held.copy());
                tag = held.tag();
            }
            ledger.settle(copies, settlement);
            channel.basicAck(tag, true);
            findings.count("acked", several);
            return several;
        }
        if (choice < 73) {
            Held held = unacked.pollFirst();
            ledger.settle(List.of(held.copy()), settlement);
            channel.basicReject(held.tag(), false);
            findings.count("discarded");
            return 1;
        }
        if (choice < 76) {
            channel.basicNack(unacked.pollLast().tag(), false, true);
            findings.count("given back");
        }
        return 0;
    }
}
