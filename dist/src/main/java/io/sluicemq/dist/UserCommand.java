package io.sluicemq.dist;

import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.cli.text.FileFailure;
import io.sluicemq.server.users.UserEditor;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * {@code sluicemq user}: changes the file of users, and has the broker read it if one runs. A password is never an argument, where
 * others on the machine could see it. Runs on the thread of the command line.
 *
 * <p>Exit codes: 0 it is done, 1 it is not (one line says why), 2 a wrong option, or a file is not valid.
 */
@Command(
        name = "user",
        mixinStandardHelpOptions = true,
        description = "Make and change users, whether or not a broker runs.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            UserCommand.Add.class,
            UserCommand.Passwd.class,
            UserCommand.Alter.class,
            UserCommand.ListAll.class,
            UserCommand.Grant.class,
            UserCommand.Revoke.class,
            UserCommand.Remove.class
        },
        footer = {
            "",
            "Users are kept in users.yaml in the data folder, or where users-file of the configuration says.",
            "Passwords are asked for, or read from --password-file; only salted slow hashes of them are stored.",
            "",
            "  sluicemq user add ann --role administrator --all",
            "  sluicemq user add app --password-file secret.txt",
            "  sluicemq user grant app --write 'orders.#' --read 'orders.#'",
            "",
            "'sluicemq user COMMAND --help' lists the options of a command; docs/security.md explains permissions."
        })
final class UserCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(),
                "a command is missing: add, passwd, alter, list, grant, revoke or remove");
    }

    /** Offers the roles as they are written. */
    static final class RoleWords implements Iterable<String> {

        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Role.values()).map(Role::word).iterator();
        }
    }

    /** Where the users are. */
    static final class Place {

        @Spec(Target.MIXEE)
        private CommandSpec spec;

        @Option(names = "--data", paramLabel = "DIR", description = "The broker's data folder (default: data).")
        private Path data;

        @Option(names = "--config", paramLabel = "FILE",
                description = "The broker's configuration, which may name another folder or users-file.")
        private Path config;

        @Option(names = "--users-file", paramLabel = "FILE",
                description = "The file itself (default: users.yaml in the data folder).")
        private Path usersFile;

        int edit(ToIntFunction<UserEditor> edit) {
            UserEditor editor = UserEditor.of(
                    usersFile, config, data, spec.commandLine().getOut(), spec.commandLine().getErr());
            return editor == null ? UserEditor.EXIT_USAGE : edit.applyAsInt(editor);
        }
    }

    /** Where the password comes from. */
    static final class Secret {

        @Spec(Target.MIXEE)
        private CommandSpec spec;

        @Option(names = "--password-file", paramLabel = "FILE",
                description = "Take the password from the first line of a file; - for standard input. It is asked for otherwise.")
        private Path file;

        String read() {
            try {
                if (file != null && !file.toString().equals("-")) {
                    try (InputStream in = Files.newInputStream(file)) {
                        return firstLine(in);
                    }
                }
                Console console = System.console();
                return file == null && console != null && console.isTerminal() ? asked(console) : firstLine(System.in);
            } catch (IOException e) {
                throw new ParameterException(spec.commandLine(), "the password can't be read: " + FileFailure.words(e));
            }
        }

        private String asked(Console console) {
            char[] first = console.readPassword("Password: ");
            char[] again = console.readPassword("The same again: ");
            if (first == null || again == null || !Arrays.equals(first, again)) {
                throw new ParameterException(spec.commandLine(), "the two passwords are not the same");
            }
            return new String(first);
        }

        private String firstLine(InputStream in) throws IOException {
            String line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            if (line == null || line.isEmpty()) {
                throw new ParameterException(spec.commandLine(), "there is no password: expected one line of text");
            }
            return line;
        }
    }

    /** Makes a user. */
    @Command(name = "add", mixinStandardHelpOptions = true, sortOptions = false, description = "Make a user.",
            footer = {
                "",
                "Without --all they have no permissions until 'sluicemq user grant' gives some.",
                "",
                "  sluicemq user add ann --role administrator --all",
                "  sluicemq user add app --password-file secret.txt"
            })
    static final class Add implements Callable<Integer> {

        @Parameters(paramLabel = "NAME", description = "The name they log in with.")
        private String name;

        @Option(names = "--role", paramLabel = "ROLE", completionCandidates = RoleWords.class,
                description = "monitor, operator or administrator (default: none).")
        private Role role;

        @Option(names = "--all", arity = "0..1", fallbackValue = "/", paramLabel = "VHOST",
                description = "Give all permissions in a virtual host (${FALLBACK-VALUE} if none is named).")
        private List<String> all;

        @Option(names = "--loopback-only", description = "They may log in from the broker's machine only.")
        private boolean loopbackOnly;

        @Option(names = "--no-password", description = "They log in by a certificate only.")
        private boolean noPassword;

        @Mixin
        private Secret secret;

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            Optional<String> password = noPassword ? Optional.empty() : Optional.of(secret.read());
            return place.edit(editor -> editor.add(
                    name, new UserChange(password, Optional.ofNullable(role), loopbackOnly),
                    all == null ? List.of() : all));
        }
    }

    /** Changes a password. */
    @Command(name = "passwd", mixinStandardHelpOptions = true, sortOptions = false, description = "Change a password.")
    static final class Passwd implements Callable<Integer> {

        @Parameters(paramLabel = "NAME", description = "Whose.")
        private String name;

        @Mixin
        private Secret secret;

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            Optional<String> password = Optional.of(secret.read());
            return place.edit(editor -> editor.alter(name, new UserChange(password, null, null), Map.of()));
        }
    }

    /** Changes what a user is. */
    @Command(name = "alter", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Change a user's role, from where they may log in, or how much they may have.")
    static final class Alter implements Callable<Integer> {

        @Parameters(paramLabel = "NAME", description = "Who.")
        private String name;

        @Option(names = "--role", paramLabel = "ROLE", completionCandidates = RoleWords.class,
                description = "monitor, operator or administrator.")
        private Role role;

        @Option(names = "--no-role", description = "No role any more.")
        private boolean noRole;

        @Option(names = "--loopback-only", negatable = true,
                description = "They may log in from the broker's machine only, or from anywhere.")
        private Boolean loopbackOnly;

        @Option(names = "--max-connections", paramLabel = "N",
                description = "How many connections they may have; -1 for any number, here and below.")
        private String maxConnections;

        @Option(names = "--max-channels", paramLabel = "N",
                description = "How many channels they may have on all of them together.")
        private String maxChannels;

        @Option(names = "--max-queues", paramLabel = "N",
                description = "How many queues there may be that they have declared.")
        private String maxQueues;

        @Option(names = "--max-message-size", paramLabel = "SIZE",
                description = "How large a message may be that they publish, such as 64KiB.")
        private String maxMessageSize;

        @Option(names = "--max-kept-links", paramLabel = "N",
                description = "AMQP 1.0: how many of their links that have ended are kept for links that come back.")
        private String maxKeptLinks;

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            Optional<Role> changed = noRole ? Optional.empty() : role == null ? null : Optional.of(role);
            return place.edit(editor -> editor.alter(
                    name, new UserChange(null, changed, loopbackOnly), limits()));
        }

        private Map<UserLimit, String> limits() {
            Map<UserLimit, String> limits = new EnumMap<>(UserLimit.class);
            limits.put(UserLimit.CONNECTIONS, maxConnections);
            limits.put(UserLimit.CHANNELS, maxChannels);
            limits.put(UserLimit.QUEUES, maxQueues);
            limits.put(UserLimit.MESSAGE_BYTES, maxMessageSize);
            limits.put(UserLimit.KEPT_LINKS, maxKeptLinks);
            limits.values().removeIf(Objects::isNull);
            return limits;
        }
    }

    /** Lists users. */
    @Command(name = "list", mixinStandardHelpOptions = true, sortOptions = false,
            description = "List the users of the file, and what they may do.")
    static final class ListAll implements Callable<Integer> {

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            return place.edit(UserEditor::list);
        }
    }

    /** Gives permissions. */
    @Command(name = "grant", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Give a user permissions in a virtual host, in place of those they have there.",
            footer = {
                "",
                "PATTERN is words between dots, * for any word, # for any number of words; or regex: and a regular expression.",
                "What is left out is not allowed.",
                "",
                "  sluicemq user grant app --write 'orders.#' --read 'orders.#'"
            })
    static final class Grant implements Callable<Integer> {

        @Parameters(paramLabel = "NAME", description = "Who.")
        private String name;

        @Option(names = "--virtual-host", paramLabel = "VHOST", defaultValue = "/",
                description = "Where (default: ${DEFAULT-VALUE}).")
        private String virtualHost;

        @Option(names = "--configure", paramLabel = "PATTERN", description = "Queues and exchanges to make and delete.")
        private List<String> configure = List.of();

        @Option(names = "--write", paramLabel = "PATTERN", description = "Addresses and exchanges to publish to.")
        private List<String> write = List.of();

        @Option(names = "--read", paramLabel = "PATTERN", description = "Queues and topics to consume from.")
        private List<String> read = List.of();

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            return place.edit(
                    editor -> editor.grant(name, virtualHost, new PermissionPatterns(configure, write, read)));
        }
    }

    /** Takes permissions. */
    @Command(name = "revoke", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Take all permissions of a user in a virtual host.")
    static final class Revoke implements Callable<Integer> {

        @Parameters(paramLabel = "NAME", description = "Whose.")
        private String name;

        @Option(names = "--virtual-host", paramLabel = "VHOST", defaultValue = "/",
                description = "Where (default: ${DEFAULT-VALUE}).")
        private String virtualHost;

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            return place.edit(editor -> editor.revoke(name, virtualHost));
        }
    }

    /** Removes a user. */
    @Command(name = "remove", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Remove a user; connections of theirs are closed.")
    static final class Remove implements Callable<Integer> {

        @Parameters(paramLabel = "NAME", description = "Who.")
        private String name;

        @Mixin
        private Place place;

        @Override
        public Integer call() {
            return place.edit(editor -> editor.remove(name));
        }
    }
}
