package io.sluicemq.server.data;

/** That a data folder can't be used. Its message is one line that says why and, where that helps, what to do. */
public final class DataFolderRefused extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean inUse;

    DataFolderRefused(String message) {
        this(message, false);
    }

    DataFolderRefused(String message, Throwable cause) {
        super(message, cause);
        inUse = false;
    }

    private DataFolderRefused(String message, boolean inUse) {
        super(message);
        this.inUse = inUse;
    }

    static DataFolderRefused inUse(String message) {
        return new DataFolderRefused(message, true);
    }

    /** Whether a broker has it open: what is to be done about that depends on what the folder was wanted for. */
    public boolean isInUse() {
        return inUse;
    }
}
