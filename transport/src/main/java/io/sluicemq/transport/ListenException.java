package io.sluicemq.transport;

import java.io.IOException;

/** A port can't be listened on. The message names the address and the reason, and is fit to be shown to the operator. */
public final class ListenException extends IOException {

    private static final long serialVersionUID = 1L;

    ListenException(String address, Throwable cause) {
        super("cannot listen on " + address + ": " + reason(cause), cause);
    }

    private static String reason(Throwable cause) {
        return switch (cause) {
            case java.net.BindException e -> "the address is in use or not of this machine (" + e.getMessage() + ")";
            case java.nio.channels.UnresolvedAddressException e -> "the host name is unknown";
            case java.net.UnknownHostException e -> "the host name is unknown";
            default -> cause.getMessage();
        };
    }
}
