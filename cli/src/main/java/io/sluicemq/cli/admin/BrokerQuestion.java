package io.sluicemq.cli.admin;

import io.sluicemq.cli.text.Structured;
import io.sluicemq.management.AdminClient;
import io.sluicemq.management.AdminRefused;
import io.sluicemq.management.AdminSocket;
import io.sluicemq.management.AdminUnreachable;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What commands that ask a running broker have in common: which broker, and in what form the answer is printed. Used by the thread
 * of the command line.
 */
final class BrokerQuestion {

    static final int EXIT_FAILED = 1;

    static final JsonMapper JSON = JsonMapper.builder().build();

    private static final Duration LIMIT = Duration.ofSeconds(40);

    /** How an answer is printed. */
    enum Output {
        TABLE, JSON
    }

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", paramLabel = "DIR", description = "The broker's data folder (default: data).")
    private Path data;

    @Option(names = {"-o", "--output"}, paramLabel = "FORM", defaultValue = "table",
            description = "table for people, json for programs (default: ${DEFAULT-VALUE}).")
    private Output output;

    static ObjectNode command(String name) {
        return JSON.createObjectNode().put("command", name);
    }

    private Path folder() {
        return data == null ? Path.of("data") : data;
    }

    /** Whether the command line names a folder. */
    boolean isSaid() {
        return data != null;
    }

    /** Whether a broker has left its socket in the folder. */
    boolean isThere() {
        return Files.exists(folder().resolve(AdminSocket.FILE));
    }

    boolean isForPrograms() {
        return output == Output.JSON;
    }

    /** Prints an answer for programs that came another way, as it would have come by the socket. */
    void print(AddressAnswer answer) {
        PrintWriter out = spec.commandLine().getOut();
        ObjectNode json = JSON.valueToTree(answer);
        if (answer.shortage() == null) {
            json.remove("shortage");
        }
        out.println(Structured.json(json));
        out.flush();
    }

    /**
     * Asks, and prints the answer.
     *
     * @param text prints it for people, and returns the exit code
     * @return the exit code
     */
    int ask(ObjectNode request, ToIntFunction<JsonNode> text) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            JsonNode answer = AdminClient.ask(folder(), request, LIMIT);
            if (output == Output.JSON) {
                out.println(Structured.json(answer));
                out.flush();
                return answer.has("problems") ? spec.exitCodeOnInvalidInput() : 0;
            }
            int code = text.applyAsInt(answer);
            out.flush();
            return code;
        } catch (AdminUnreachable | AdminRefused e) {
            err.println(spec.qualifiedName() + ": " + e.getMessage());
            err.flush();
            return EXIT_FAILED;
        }
    }
}
