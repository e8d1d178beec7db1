package io.sluicemq.api;

import io.sluicemq.base.Loop;

/** The broker as protocols see it. Any loop may call it. */
public interface Broker {

    /**
     * Brings a client into a virtual host.
     *
     * @param loop the loop that owns the client's connection and on which this is called
     * @param reply gets the client; fails with {@link BrokerError.NotFound} for an unknown virtual host, {@link
     *     BrokerError.AccessRefused} for one that the user may not use, {@link BrokerError.LimitReached} at a limit, {@link
     *     BrokerError.IdentityInUse} for an identity that another has
     */
    void connect(ClientSpec spec, Loop loop, Reply<Client> reply);

    /** The loop that owns what a protocol keeps for all of its connections; always the same one. */
    Loop home();

    /**
     * A protocol keeps links for clients that may come back, or does not any more; on {@link #home}.
     *
     * @param links how many more; negative for fewer
     * @param deliveries how many more deliveries of these, likewise
     */
    void kept(int links, int deliveries);

    /**
     * Who connects.
     *
     * @param name a name for people and logs, such as {@code 127.0.0.1:50123 -> 127.0.0.1:5672}
     * @param protocol the protocol's name, such as {@code AMQP 0-9-1}
     * @param product what the client says it is, or an empty string
     * @param identity what the client calls itself in this virtual host (a container id), or an empty string
     * @param sole whether no other client may have that identity at the same time
     */
    record ClientSpec(
            String virtualHost, Principal user, String name, String protocol, String product, String identity,
            boolean sole, ClientEvents events) {

        /** Somebody without an identity. */
        public ClientSpec(
                String virtualHost, Principal user, String name, String protocol, String product, ClientEvents events) {
            this(virtualHost, user, name, protocol, product, "", false, events);
        }
    }
}
