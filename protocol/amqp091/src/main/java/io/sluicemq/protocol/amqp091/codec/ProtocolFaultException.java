package io.sluicemq.protocol.amqp091.codec;

/**
 * Carries a {@link ProtocolFault} out of the codec. It has no stack trace: a peer that sends garbage must not make
 * the broker walk stacks. Nothing else is thrown for what a peer has sent, whatever it is.
 */
public final class ProtocolFaultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ProtocolFault fault;
    private final boolean located;

    /** Carries {@code fault} as it is. */
    public ProtocolFaultException(ProtocolFault fault) {
        this(fault, true);
    }

    private ProtocolFaultException(ProtocolFault fault, boolean located) {
        super(fault.text(), null, false, false);
        this.fault = fault;
        this.located = located;
    }

    /** A 502 by code that does not know which method it reads; {@link #locatedAt} adds it on the way out. */
    static ProtocolFaultException syntax(String text) {
        return new ProtocolFaultException(ProtocolFault.at(0, ReplyCode.SYNTAX_ERROR, text), false);
    }

    /** This exception with its method filled in, or itself if it had one. */
    ProtocolFaultException locatedAt(int method) {
        if (located) {
            return this;
        }
        String text = MethodId.name(method) + ": " + fault.text();
        return new ProtocolFaultException(ProtocolFault.at(method, fault.code(), text), true);
    }

    /** What was wrong. */
    public ProtocolFault fault() {
        return fault;
    }
}
