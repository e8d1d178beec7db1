package io.sluicemq.cli.http;

import io.sluicemq.cli.text.Printable;
import java.io.Console;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * What commands have in common that ask a broker over HTTP: which broker, who asks, and what is said and returned if that fails. Used by the
 * thread of the command line.
 */
public final class BrokerAccess {

    /** The broker doesn't do it. */
    public static final int EXIT_REFUSED = 1;

    /** No broker has answered. */
    public static final int EXIT_UNREACHABLE = 3;

    /** By their places they are told from others. */
    private static final int FIRST = 100;

    private static final int OPTIONS = 6;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--url", paramLabel = "URL", order = FIRST,
            description = "The broker's HTTP address (default: SLUICEMQ_URL, or " + AccessSource.DEFAULT_URL + ").")
    private String url;

    @Option(names = "--user", paramLabel = "NAME", order = FIRST + 1,
            description = "Who asks (default: SLUICEMQ_USER, or guest).")
    private String user;

    @Option(names = "--password-file", paramLabel = "FILE", order = FIRST + 2,
            description = "A file with the password (default: SLUICEMQ_PASSWORD, or asked for).")
    private Path passwordFile;

    @Option(names = "--vhost", paramLabel = "VHOST", order = FIRST + 3,
            description = "The virtual host (default: SLUICEMQ_VHOST, or /).")
    private String virtualHost;

    @Option(names = "--ca", paramLabel = "FILE", order = FIRST + 4,
            description = "Who may have issued the broker's certificate, in PEM form (default: SLUICEMQ_CA, or whom Java trusts).")
    private Path ca;

    @Option(names = "--context", paramLabel = "FILE", order = FIRST + 5,
            description = {"A file that says all that (default:", "~/.config/sluicemq/cli.yaml)."})
    private Path context;

    /** Whether an option is one of these, which are alike in all commands. */
    public static boolean isOne(OptionSpec option) {
        return option.order() >= FIRST && option.order() < FIRST + OPTIONS;
    }

    /** Whether the command line says which broker is meant. */
    public boolean isSaid() {
        return url != null || context != null;
    }

    /**
     * Asks the broker.
     *
     * @param work does it, and returns the exit code
     * @return the exit code
     */
    public int ask(ToIntFunction<Api> work) {
        PrintWriter err = spec.commandLine().getErr();
        try (Api api = new Api(access())) {
            return work.applyAsInt(api);
        } catch (ApiRefused e) {
            err.println(spec.qualifiedName() + ": " + Printable.text(e.getMessage()));
            return EXIT_REFUSED;
        } catch (ApiUnreachable e) {
            err.println(spec.qualifiedName() + ": " + Printable.text(e.getMessage()));
            e.hints().forEach(hint -> err.println("  " + hint));
            return EXIT_UNREACHABLE;
        } finally {
            spec.commandLine().getOut().flush();
            err.flush();
        }
    }

    private Access access() {
        try {
            return new AccessSource(System::getenv, BrokerAccess::typed)
                    .find(new AccessSource.Said(url, user, passwordFile, virtualHost, context, ca));
        } catch (WrongAccess e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private static String typed(String name) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            return null;
        }
        char[] typed = console.readPassword("Password of %s: ", Printable.text(name));
        return typed == null ? null : new String(typed);
    }
}
