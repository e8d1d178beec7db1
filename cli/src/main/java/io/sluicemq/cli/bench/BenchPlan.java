package io.sluicemq.cli.bench;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;

/**
 * Everything that a run was asked to do, checked: a plan that exists can be carried out as far as its numbers go.
 *
 * @param uri             the broker, {@code amqp://user:password@host:port/vhost}
 * @param trust           what TLS is spoken with for amqps; null for amqp
 * @param exchangeKind    how messages reach queues
 * @param queues          queues declared for the run
 * @param producers       publishing threads, each with a channel of its own
 * @param consumers       consuming channels
 * @param size            body bytes, at least {@link MessageStamp#BYTES}
 * @param persistent      delivery mode 2
 * @param confirmWindow   publishes a producer has unconfirmed at most; 0 = publisher confirms are off
 * @param mandatory       ask for unroutable messages to be returned
 * @param prefetch        basic.qos of each consumer; 0 = unlimited
 * @param ackEvery        acknowledge each n-th delivery together with those before it; 0 = automatic acknowledgement
 * @param ratePerSecond   messages a second published by all producers together; 0 = as fast as they can
 * @param seconds         length of the measured part
 * @param warmupSeconds   load before it that is shown and not counted
 * @param drainSeconds    limit of the wait for what is still queued after producers have stopped
 * @param durable         durable queues (and exchange)
 * @param queueArguments  arguments of queue.declare
 * @param sharedConnections one connection for all producers and one for all consumers
 * @param io              the client library's transport
 * @param dispatch        where consumer callbacks run
 * @param brokerPids      processes whose CPU time and memory are the broker's; may be empty
 * @param allowLoss       missing messages are shown but do not fail the run
 */
public record BenchPlan(
        URI uri,
        SSLContext trust,
        ExchangeKind exchangeKind,
        int queues,
        int producers,
        int consumers,
        int size,
        boolean persistent,
        int confirmWindow,
        boolean mandatory,
        int prefetch,
        int ackEvery,
        long ratePerSecond,
        int seconds,
        int warmupSeconds,
        int drainSeconds,
        boolean durable,
        Map<String, Object> queueArguments,
        boolean sharedConnections,
        ClientIo io,
        Dispatch dispatch,
        List<Long> brokerPids,
        boolean allowLoss) {

    private static final int MAX_ENDPOINTS = 10_000;
    private static final int MAX_SIZE = 128 * 1024 * 1024;
    private static final int MAX_WINDOW = 1_000_000;
    private static final int MAX_PREFETCH = 65_535;
    private static final int MAX_SECONDS = 7 * 24 * 3600;

    /** @throws IllegalArgumentException with a one-line reason that names the option */
    public BenchPlan {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if ((!scheme.equals("amqp") && !scheme.equals("amqps")) || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "--uri must look like amqp://user:password@host:port/vhost (or amqps://…)");
        }
        if (scheme.equals("amqps") == (trust == null)) {
            throw new IllegalArgumentException("--ca goes with --uri amqps://…");
        }
        if (trust != null && io == ClientIo.NETTY) {
            throw new IllegalArgumentException("--io netty goes with --uri amqp://… only");
        }
        within("--queues", queues, 1, MAX_ENDPOINTS);
        within("--producers", producers, 1, MAX_ENDPOINTS);
        within("--consumers", consumers, 0, MAX_ENDPOINTS);
        within("--size", size, MessageStamp.BYTES, MAX_SIZE);
        within("--confirm", confirmWindow, 0, MAX_WINDOW);
        within("--prefetch", prefetch, 0, MAX_PREFETCH);
        within("--ack-every", ackEvery, 0, MAX_WINDOW);
        if (prefetch > 0 && ackEvery > prefetch) {
            throw new IllegalArgumentException("--ack-every " + ackEvery + " is more than --prefetch " + prefetch
                    + ": the consumer would wait for ever for the messages to acknowledge");
        }
        within("--rate", ratePerSecond, 0, 100_000_000);
        within("--seconds", seconds, 1, MAX_SECONDS);
        within("--warmup", warmupSeconds, 0, MAX_SECONDS);
        within("--drain", drainSeconds, 0, MAX_SECONDS);
        queueArguments = Map.copyOf(queueArguments);
        brokerPids = List.copyOf(brokerPids);
    }

    private static void within(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s must be from %d to %d, not %d", option, least, most, value));
        }
    }

    /** The broker's address without its password, for messages. */
    public String displayUri() {
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme() + "://" + uri.getHost() + port + (uri.getRawPath() == null ? "" : uri.getRawPath());
    }

    /** Deliveries the consumers should see for {@code published} messages that were all routed. */
    long expectedDeliveries(long published) {
        return consumers == 0 ? 0 : published * exchangeKind.copies(queues);
    }

    /**
     * The queues that one producer or consumer works on: endpoint and queue numbers meet modulo the smaller count, so
     * that with fewer endpoints than queues every queue still has one.
     */
    public int[] queuesOf(int endpoint, int endpoints) {
        if (endpoints >= queues) {
            return new int[] {endpoint % queues};
        }
        int count = (queues - endpoint + endpoints - 1) / endpoints;
        int[] mine = new int[count];
        for (int i = 0; i < count; i++) {
            mine[i] = endpoint + i * endpoints;
        }
        return mine;
    }

    /**
     * The queues that a producer addresses, each with a stream of numbers of its own. With an exchange of the run's own
     * one copy of a message reaches all queues, so there it has one.
     */
    public int[] targetsOf(int producer) {
        return exchangeKind == ExchangeKind.DIRECT ? queuesOf(producer, producers) : new int[] {0};
    }
}
