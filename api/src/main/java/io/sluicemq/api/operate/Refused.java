package io.sluicemq.api.operate;

import io.sluicemq.api.BrokerError;

/** The broker refuses what an operator wants. */
public final class Refused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient BrokerError error;

    public Refused(BrokerError error) {
        super(String.valueOf(error), null, false, false);
        this.error = error;
    }

    /** Why. */
    public BrokerError error() {
        return error;
    }
}
