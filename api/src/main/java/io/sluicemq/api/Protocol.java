package io.sluicemq.api;

import io.netty.buffer.ByteBuf;

/** A protocol that the broker speaks on its port. Any loop may call it. */
public interface Protocol {

    /** The answer to the question whose bytes these are. */
    enum Match {
        YES,
        NO,
        NEED_MORE
    }

    String name();

    /** Judges a connection's first bytes, without consuming them. */
    Match match(ByteBuf firstBytes);

    /** Starts a session on {@code wire}; the first bytes come by {@link ProtocolSession#input} next. */
    ProtocolSession open(Wire wire);

    /** The protocol header that invites a peer who spoke something unknown to try this protocol. */
    byte[] invitation();
}
