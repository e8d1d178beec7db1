package io.sluicemq.protocol.amqp10.terminus;

/** What a peer asks for can't be. */
final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient TerminusError error;

    Refused(TerminusError error) {
        super(error.toString(), null, false, false);
        this.error = error;
    }

    TerminusError error() {
        return error;
    }
}
