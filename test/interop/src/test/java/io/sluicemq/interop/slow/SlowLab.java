package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.SluiceMQBuilder;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A broker of a test's own that looks for slow consumers, with a lab at it. The test's thread uses it. With its end nothing is left at
 * the broker: nobody who is slow, no message, no memory.
 */
final class SlowLab {

    private final EmbeddedBroker broker;
    private final Lab lab;
    private final Markers markers;

    private SlowLab(EmbeddedBroker broker) {
        this.broker = broker;
        lab = Lab.at(broker);
        markers = new Markers(lab);
    }

    static SlowLab start(UnaryOperator<SluiceMQBuilder> settings) {
        return new SlowLab(EmbeddedBroker.start(settings));
    }

    /** One that knows nothing but markers yet. */
    static SlowLab start(Duration period) {
        return start(builder -> builder.addressSettings(Markers.setting(period)));
    }

    EmbeddedBroker broker() {
        return broker;
    }

    Lab lab() {
        return lab;
    }

    /** Consumers that are cut, where the settings know them. */
    Markers markers() {
        return markers;
    }

    /** The one rule from now on, beside the markers'. */
    void rule(Duration markersPeriod, AddressSetting setting) {
        broker.addressSettings(List.of(Markers.setting(markersPeriod), setting));
    }

    void leave() throws Exception {
        try {
            lab.leave();
            BrokerCounters after = broker.counters();
            assertThat(after.slowConsumers()).isZero();
            assertThat(after.messageBytes()).isZero();
            assertThat(after.failedChecks()).isZero();
        } finally {
            broker.close();
        }
    }
}
