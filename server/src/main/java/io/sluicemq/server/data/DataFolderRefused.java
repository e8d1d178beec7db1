package io.sluicemq.server.data;

/** That a data folder can't be used. Its message is one line that says why and, where that helps, what to do. */
public final class DataFolderRefused extends Exception {

    private static final long serialVersionUID = 1L;

    DataFolderRefused(String message) {
        super(message);
    }

    DataFolderRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
