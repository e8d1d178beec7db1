package io.sluicemq.cli.http;

/** The broker has answered that it won't do what it was asked for; the message says why, for people. */
public final class ApiRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    public ApiRefused(int status, String reason) {
        super(reason, null, false, false);
        this.status = status;
    }

    /** The HTTP status: 404 if there is no such thing. */
    public int status() {
        return status;
    }
}
