package io.sluicemq.api.users;

/** That users can't be changed as asked. Its message is one line for whoever asked, and holds nothing secret. */
public final class UserRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** There is no such user. */
        NOT_FOUND,
        /** There is such a user, and there was to be none. */
        EXISTS,
        /** What was asked for makes no sense. */
        INVALID,
        /** Users can't be changed, since they stand in the configuration, or the file can't be written. */
        NOT_CHANGEABLE
    }

    private final Reason reason;

    public UserRefused(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public UserRefused(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
