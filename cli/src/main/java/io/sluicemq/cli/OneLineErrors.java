package io.sluicemq.cli;

import io.sluicemq.base.option.Nearest;
import io.sluicemq.cli.text.Printable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Answers a wrong command line with one line that says what is wrong, in the words of who has typed it, and a second that says where the options
 * are listed, in place of picocli's full page. A password is never said again. Stateless; runs on the thread that parses.
 */
public final class OneLineErrors implements IParameterExceptionHandler {

    private static final String PASSWORD = "--password";

    @Override
    public int handleParseException(ParameterException error, String[] arguments) {
        CommandLine command = error.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + Printable.text(words(error, arguments)));
        command.getErr().println("Run '" + name + " --help' for the "
                + (command.getSubcommands().isEmpty() ? "options." : "commands."));
        command.getErr().flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String words(ParameterException error, String[] arguments) {
        CommandSpec command = error.getCommandLine().getCommandSpec();
        if (Arrays.stream(arguments).anyMatch(each -> each.equals(PASSWORD) || each.startsWith(PASSWORD + "="))) {
            return "a password is no argument, since every user of this machine sees those: say it by "
                    + (command.findOption("--url") == null ? "" : "SLUICEMQ_PASSWORD or ") + "--password-file FILE";
        }
        // Its value may have been taken for something else, which would then be what is wrong.
        Optional<String> unknown = error.getArgSpec() == null && !(error instanceof UnmatchedArgumentException)
                ? Optional.empty()
                : Arrays.stream(arguments)
                        .takeWhile(each -> !each.equals("--"))
                        .filter(each -> each.matches("--[a-z].*"))
                        .map(OneLineErrors::named)
                        .filter(each -> command.findOption(each) == null
                                && !command.negatedOptionsMap().containsKey(each))
                        .findFirst();
        if (unknown.isPresent()) {
            return unknown(command, unknown.get());
        }
        return switch (error) {
            case UnmatchedArgumentException unmatched -> unmatched(command, unmatched);
            case MissingParameterException missing -> missing(command, missing);
            case OverwrittenOptionException twice -> called(twice.getOverwritten()) + " is said twice";
            case ParameterException _ when error.getArgSpec() != null && error.getValue() != null ->
                value(error, error.getArgSpec());
            default -> error.getMessage();
        };
    }

    private static String named(String option) {
        return option.contains("=") ? option.substring(0, option.indexOf('=')) : option;
    }

    private static String unknown(CommandSpec command, String option) {
        List<String> known = command.options().stream()
                .filter(each -> !each.hidden())
                .flatMap(each -> Arrays.stream(each.names()))
                .filter(each -> each.startsWith("--"))
                .toList();
        return "there is no option " + option + (option.startsWith("--") ? meant(option, known) : "");
    }

    private static String unmatched(CommandSpec command, UnmatchedArgumentException error) {
        String first = error.getUnmatched().getFirst();
        if (error.isUnknownOption()) {
            return unknown(command, named(first));
        }
        if (!command.subcommands().isEmpty()) {
            List<String> known = List.copyOf(command.subcommands().keySet());
            String meant = meant(first, known);
            return "no command '" + first + "'" + (meant.isEmpty() && known.size() <= 10
                    ? ": expected " + either(known)
                    : meant);
        }
        List<String> expected = command.positionalParameters().stream().map(ArgSpec::paramLabel).toList();
        return "'" + first + "' is more than is expected: " + (expected.isEmpty()
                ? "only options"
                : String.join(" ", expected));
    }

    private static String missing(CommandSpec command, MissingParameterException error) {
        String missing = error.getMissing().stream().map(OneLineErrors::called).collect(Collectors.joining(" and "));
        if (missing.isEmpty()) {
            return error.getMessage();
        }
        if (error.getMissing().getFirst() instanceof OptionSpec option && !option.required()) {
            return missing + " lacks its value: expected " + option.paramLabel();
        }
        return missing + (error.getMissing().size() == 1 ? " is missing" : " are missing");
    }

    private static String value(ParameterException error, ArgSpec argument) {
        String name = called(argument);
        String value = error.getValue();
        Class<?> type = argument.auxiliaryTypes().length > 0 ? argument.auxiliaryTypes()[0] : argument.type();
        if (error.getCause() instanceof TypeConversionException reason && argument.converters().length > 0) {
            return name + ": " + reason.getMessage();
        }
        if (Map.class.isAssignableFrom(argument.type())) {
            return name + " is '" + value + "': expected " + argument.paramLabel();
        }
        if (type.isEnum()) {
            List<String> known = Arrays.stream(type.getEnumConstants())
                    .map(each -> each.toString().toLowerCase(java.util.Locale.ROOT))
                    .toList();
            return name + " is '" + value + "': expected " + either(known) + meant(value, known);
        }
        if (Stream.of(int.class, Integer.class, long.class, Long.class).anyMatch(type::equals)) {
            return name + " is '" + value + "': expected a whole number";
        }
        if (type == double.class || type == Double.class) {
            return name + " is '" + value + "': expected a number";
        }
        return name + " is '" + value + "', which it can't be";
    }

    private static String called(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String meant(String word, List<String> known) {
        return Nearest.of(word, known).map(nearest -> ", did you mean " + nearest + "?").orElse("");
    }

    /** {@code a, b or c}. */
    private static String either(List<String> words) {
        return words.size() < 2
                ? String.join("", words)
                : String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast();
    }
}
