package io.sluicemq.interop.slow;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.slow.Subscriber.Mode;
import java.util.EnumSet;
import java.util.Set;

/** The clients, and the ways in which their applications deal with messages. */
enum ClientKind {

    /** Without its no-ack mode, in which it has no prefetch: what is slow then is its socket. */
    RABBITMQ(EnumSet.of(Mode.CLIENT, Mode.TRANSACTED)),
    QPID_0_9_1(EnumSet.complementOf(EnumSet.of(Mode.INDIVIDUAL))),
    QPID_1_0(EnumSet.allOf(Mode.class));

    private final Set<Mode> modes;

    ClientKind(Set<Mode> modes) {
        this.modes = modes;
    }

    Set<Mode> modes() {
        return modes;
    }

    /** @param cut what the broker cuts there, for the client to know what to expect */
    Subscriber subscribe(Lab lab, String topic, Mode mode, boolean durable, Cut cut) throws Exception {
        return switch (this) {
            case RABBITMQ -> new RabbitMqSubscriber(lab, topic, mode, durable, cut);
            case QPID_0_9_1 -> new QpidSubscriber(lab, topic, mode, durable);
            case QPID_1_0 -> new JmsSubscriber(lab, topic, mode, durable);
        };
    }
}
