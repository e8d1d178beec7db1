package io.sluicemq.api;

import java.util.List;
import java.util.Map;

/**
 * What a protocol knows of one connection at a moment, for operators. Immutable.
 *
 * @param peer the remote address and port; empty if it isn't known
 * @param state whether the client may publish
 * @param why what it waits for, in words; empty if it waits for nothing
 * @param receivedBytes bytes that came from its socket, 0 if they are not counted
 * @param sentBytes bytes that went to its socket, likewise
 * @param properties what the client says of itself, by name: plain values, lists and maps of them
 * @param channelMax how many channels or sessions it may have; 0 if that is not known
 * @param frameMax the largest frame in bytes; 0 if that is not known
 * @param heartbeatSeconds the interval that was agreed on; 0 for none
 * @param channels its channels or sessions, by their number
 */
public record ClientDetails(
        String peer,
        State state,
        String why,
        long receivedBytes,
        long sentBytes,
        Map<String, Object> properties,
        int channelMax,
        long frameMax,
        int heartbeatSeconds,
        List<Channel> channels) {

    /** Of a client whose protocol says nothing. */
    public static final ClientDetails UNKNOWN =
            new ClientDetails("", State.RUNNING, "", 0, 0, Map.of(), 0, 0, 0, List.of());

    public ClientDetails {
        channels = List.copyOf(channels);
    }

    /** Whether what a client sends is taken. */
    public enum State {
        /** It is. */
        RUNNING,
        /** It is, no faster than others keep up; or some of its producers wait for room in an address. */
        FLOW,
        /** It is not read from, or gets no credit, until there is room again. */
        BLOCKED,
        /** It is about to end. */
        CLOSING;

        /** The more serious one of two. */
        public State and(State other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    /**
     * A channel of AMQP 0-9-1, or a session of AMQP 1.0.
     *
     * @param prefetch how many deliveries each new consumer may hold unsettled; 0 for no limit
     * @param sharedPrefetch how many all of its consumers together; 0 for no limit
     * @param confirms whether it gets confirms of what it publishes
     * @param parkedMessages publishes of it that wait for room in their addresses
     * @param parkedBytes bytes of these
     * @param waitsFor which address and limit they wait for, in words; empty if none waits
     * @param links its links; empty with AMQP 0-9-1
     * @param targets where it has published to of late, a bounded number
     */
    public record Channel(
            int number,
            int consumers,
            long unsettled,
            int prefetch,
            int sharedPrefetch,
            boolean confirms,
            boolean transactional,
            int parkedMessages,
            long parkedBytes,
            String waitsFor,
            List<Link> links,
            List<Target> targets) {

        public Channel {
            links = List.copyOf(links);
            targets = List.copyOf(targets);
        }
    }

    /**
     * Where a channel or link publishes to.
     *
     * @param producer what publishes there within the connection, in the words of {@link Producer#description}
     * @param exchange empty for the default exchange, by which the queue is reached that {@code routingKey} names
     * @param routingKey empty for another exchange
     * @param messages how many it has published there since it was noted
     */
    public record Target(String producer, String exchange, String routingKey, long messages) {}

    /**
     * A link of AMQP 1.0.
     *
     * @param role {@code producer} for one on which the client sends, {@code consumer}, or {@code coordinator}
     * @param address where it sends to or receives from; empty if it says so in each message, or isn't known
     * @param credit how many messages its sender may send before it gets more
     */
    public record Link(String name, String role, String address, long credit) {}
}
