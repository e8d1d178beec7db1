package io.sluicemq.simulation;

import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;

/** Wants one of some messages. */
record Some(int rest) implements MessageFilter {

    static final int OF = 3;

    boolean wants(long id) {
        return id % OF == rest;
    }

    @Override
    public boolean matches(Message message) {
        return wants(Payload.id(message));
    }

    @Override
    public String text() {
        return "id % " + OF + " = " + rest;
    }
}
