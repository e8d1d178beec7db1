package io.sluicemq.protocol.amqp091.codec;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A few seconds of {@link HostileFramesFuzz} in every build. */
class HostileFramesTest {

    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    void shouldOnlyEverFault(@ForAll long seed) {
        HostileFramesFuzz.run(seed);
    }
}
