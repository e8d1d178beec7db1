package io.sluicemq.server;

import io.sluicemq.base.option.Problem;
import io.sluicemq.server.config.ConfigException;
import java.util.List;
import java.util.stream.Collectors;

/** That a broker has not started. Its message is one line that says why; nothing is left running or locked. */
public final class StartFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StartFailure(String message, Throwable cause) {
        super(message, cause);
    }

    static StartFailure of(ConfigException e) {
        List<Problem> problems = e.problems();
        return new StartFailure(problems.stream().map(Problem::toString).collect(Collectors.joining("; ")), e);
    }
}
