package io.sluicemq.cli;

import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;

/**
 * Answers a wrong command line with one line that says what is wrong, and a second that says where the options are
 * listed, in place of picocli's full page. Stateless; runs on the thread that parses.
 */
public final class OneLineErrors implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException error, String[] arguments) {
        CommandLine command = error.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + error.getMessage());
        command.getErr().println("Run '" + name + " --help' for the options.");
        command.getErr().flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
