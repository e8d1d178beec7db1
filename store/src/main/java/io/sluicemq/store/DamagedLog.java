package io.sluicemq.store;

import java.io.IOException;

/** A part of the log that had been synced does not hold what was written there. Nothing has been changed. */
public final class DamagedLog extends IOException {

    private static final long serialVersionUID = 1L;

    private final String file;
    private final long offset;
    private final String what;

    DamagedLog(String folder, String file, long offset, String what) {
        super("the log in " + folder + " is damaged: " + file + " at offset " + offset + ": " + what
                + "; inspect it with 'sluicemq log verify " + folder + "'");
        this.file = file;
        this.offset = offset;
        this.what = what;
    }

    /** The name of the damaged file; of a missing one, its name too. */
    public String file() {
        return file;
    }

    /** Where in the file, in bytes. */
    public long offset() {
        return offset;
    }

    /** What is wrong there, without the words around it. */
    String what() {
        return what;
    }
}
