package io.sluicemq.store.disk;

import java.io.IOException;

/** The disk, or this user's share of it, has no room for what was to be written. */
public final class DiskFull extends IOException {

    private static final long serialVersionUID = 1L;

    public DiskFull(String message, Throwable cause) {
        super(message, cause);
    }
}
