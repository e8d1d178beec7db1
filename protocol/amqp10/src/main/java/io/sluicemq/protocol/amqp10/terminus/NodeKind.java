package io.sluicemq.protocol.amqp10.terminus;

import org.apache.qpid.protonj2.types.Symbol;

/** What kind of node a client says an address is: by a capability of its source or target, or by an annotation of a message. */
public enum NodeKind {
    /** It doesn't say. */
    ANY(null),
    QUEUE("queue"),
    TOPIC("topic"),
    TEMPORARY_QUEUE("temporary-queue"),
    TEMPORARY_TOPIC("temporary-topic");

    private static final NodeKind[] BY_ANNOTATION = {QUEUE, TOPIC, TEMPORARY_QUEUE, TEMPORARY_TOPIC};

    private final Symbol capability;

    NodeKind(String capability) {
        this.capability = capability == null ? null : Symbol.valueOf(capability);
    }

    /** The first kind among a terminus' capabilities, which may be null. */
    static NodeKind of(Symbol[] capabilities) {
        if (capabilities != null) {
            for (Symbol each : capabilities) {
                for (NodeKind kind : BY_ANNOTATION) {
                    if (kind.capability.equals(each)) {
                        return kind;
                    }
                }
            }
        }
        return ANY;
    }

    /** What a message's annotation {@code x-opt-jms-dest} or {@code x-opt-jms-reply-to} says; it may be null. */
    public static NodeKind ofAnnotation(Object annotation) {
        return annotation instanceof Byte number && number >= 0 && number < BY_ANNOTATION.length
                ? BY_ANNOTATION[number]
                : ANY;
    }

    /** The capability that says so; null for {@link #ANY}. */
    Symbol capability() {
        return capability;
    }

    boolean isQueue() {
        return this == QUEUE || this == TEMPORARY_QUEUE;
    }

    boolean isTopic() {
        return this == TOPIC || this == TEMPORARY_TOPIC;
    }
}
