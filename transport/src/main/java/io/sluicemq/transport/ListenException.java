package io.sluicemq.transport;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;

/**
 * A port can't be listened on. The message is fit to be shown to the operator: {@code cannot listen on 127.0.0.1:5672:
 * Address already in use}.
 */
public final class ListenException extends IOException {

    private static final long serialVersionUID = 1L;

    ListenException(String address, Throwable cause) {
        super("cannot listen on " + address + ": " + reason(cause), cause);
    }

    private static String reason(Throwable cause) {
        if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
            return "the host name is unknown";
        }
        // The native transports put the system call and the error's number in front of its name.
        return cause.getMessage().replaceFirst("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ", "");
    }
}
