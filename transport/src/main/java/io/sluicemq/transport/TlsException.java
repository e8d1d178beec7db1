package io.sluicemq.transport;

/** A file for TLS can't be used. The message says what is wrong with it, without its name. */
public final class TlsException extends Exception {

    private static final long serialVersionUID = 1L;

    /** What the file is for. */
    public enum Part {
        CERTIFICATE,
        KEY,
        CLIENT_CA
    }

    private final Part part;

    TlsException(Part part, String message, Throwable cause) {
        super(message, cause);
        this.part = part;
    }

    /** Which file it is. */
    public Part part() {
        return part;
    }
}
