package io.sluicemq.broker.journal;

import java.io.IOException;

/** The bytes are no record of the kind that was to be read: cut off, damaged, or written by a later version. */
public final class BadRecord extends IOException {

    private static final long serialVersionUID = 1;

    /** @param reason what is wrong, for the one who inspects the log */
    public BadRecord(String reason) {
        super(reason);
    }
}
