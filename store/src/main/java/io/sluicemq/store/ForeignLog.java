package io.sluicemq.store;

import java.io.IOException;

/** The folder holds something that is no log of ours, or one of a format that this version does not know. Nothing was changed. */
public final class ForeignLog extends IOException {

    private static final long serialVersionUID = 1L;

    ForeignLog(String folder, String what) {
        super("the log in " + folder + " can't be opened: " + what);
    }
}
