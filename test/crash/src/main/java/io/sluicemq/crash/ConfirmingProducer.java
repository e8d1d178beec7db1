package io.sluicemq.crash;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Publishes with confirms: to queues and through a fanout exchange, most messages persistent, some mandatory, some of
 * those to nowhere. Owns its sequence numbers; its thread publishes, the connection's notes confirms and returns.
 */
final class ConfirmingProducer implements Client {

    private static final long PAUSE_NANOS = 500_000;

    private final int producer;
    private final int backlogLimit;
    private final Ledger ledger;
    private final Findings findings;
    private long sequence;

    /** @param backlogLimit it waits while a queue that it publishes to has more messages than this */
    ConfirmingProducer(int producer, int backlogLimit, Ledger ledger, Findings findings) {
        this.producer = producer;
        this.backlogLimit = backlogLimit;
        this.ledger = ledger;
        this.findings = findings;
    }

    @Override
    public void run(Connection connection, Random random) throws IOException {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        NavigableMap<Long, Publication> unconfirmed = new ConcurrentSkipListMap<>();
        Map<Long, Publication> toNowhere = new ConcurrentHashMap<>();
        Set<Long> returned = ConcurrentHashMap.newKeySet();
        channel.addReturnListener(message -> returned.add(Body.read(message.getBody())));
        channel.addConfirmListener(
                (tag, multiple) -> confirmed(tag, multiple, unconfirmed, toNowhere, returned),
                (tag, multiple) -> findings.fault("publish " + tag + " of producer " + producer + " was refused"));
        int window = 1 + random.nextInt(200);
        while (true) {
            Queues.Route route = random.nextInt(50) == 0 ? Queues.nowhere() : Queues.anyRoute(random);
            boolean mandatory = route.queues().isEmpty() || random.nextInt(5) == 0;
            while (unconfirmed.size() >= window || isFull(route)) {
                Client.pause(channel, PAUSE_NANOS);
            }
            boolean persistent = random.nextInt(10) != 0;
            long id = Body.id(producer, ++sequence);
            Publication publication = ledger.publish(id, persistent, route.queues(), null);
            if (route.queues().isEmpty()) {
                toNowhere.put(id, publication);
            }
            unconfirmed.put(channel.getNextPublishSeqNo(), publication);
            channel.basicPublish(route.exchange(), route.key(), mandatory, properties(persistent),
                    Body.of(id, Queues.anySize(random)));
            findings.count("published for confirms");
        }
    }

    static BasicProperties properties(boolean persistent) {
        return new BasicProperties.Builder().deliveryMode(persistent ? 2 : 1).build();
    }

    private boolean isFull(Queues.Route route) {
        return route.queues().stream().anyMatch(queue -> ledger.backlog(queue) > backlogLimit);
    }

    /** What can't be routed is returned before it is confirmed, and nothing else is. */
    private void confirmed(long tag, boolean multiple, NavigableMap<Long, Publication> unconfirmed,
            Map<Long, Publication> toNowhere, Set<Long> returned) {
        Map<Long, Publication> these =
                multiple ? unconfirmed.headMap(tag, true) : unconfirmed.subMap(tag, true, tag, true);
        Collection<Publication> publications = new ArrayList<>(these.values());
        if (publications.isEmpty()) {
            findings.fault("confirm " + tag + " of producer " + producer + " is for nothing");
        }
        for (Publication publication : publications) {
            boolean nowhere = toNowhere.remove(publication.id) != null;
            if (returned.remove(publication.id) != nowhere) {
                findings.fault("message " + Body.name(publication.id)
                        + (nowhere
                                ? " to nowhere was confirmed, and not returned"
                                : " was returned, though it has a queue"));
            }
        }
        ledger.confirm(publications);
        findings.count("confirmed", publications.size());
        these.clear();
    }
}
