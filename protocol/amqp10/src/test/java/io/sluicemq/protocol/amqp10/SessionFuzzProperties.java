package io.sluicemq.protocol.amqp10;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.slf4j.LoggerFactory;

/** A few seconds of {@link SessionFuzz}. */
class SessionFuzzProperties {

    static {
        ((Logger) LoggerFactory.getLogger(ConnectionSession.class)).setLevel(Level.OFF);
    }

    @Property(tries = 150)
    void shouldComeToNoHarmByHostilePeers(@ForAll long seed) {
        SessionFuzz.run(seed);
    }
}
