package io.sluicemq.cli.http;

import java.util.List;

/** No broker has answered: what was tried, and what to check, a line each. */
public final class ApiUnreachable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> hints;

    public ApiUnreachable(String message, List<String> hints) {
        super(message, null, false, false);
        this.hints = List.copyOf(hints);
    }

    /** What to check. */
    public List<String> hints() {
        return hints;
    }
}
