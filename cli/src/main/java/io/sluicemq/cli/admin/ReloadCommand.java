package io.sluicemq.cli.admin;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/**
 * {@code sluicemq reload}: has a broker read its configuration file again. Runs on the thread of the command line.
 *
 * <p>Exit codes: 0 the file was read, 1 the broker can't be asked or has no file (one line says why), 2 a wrong option, or the file
 * is not valid (one line for each mistake) and nothing has changed.
 */
@Command(
        name = "reload",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Have a broker read its configuration file again.",
        footer = {
            "",
            "address-settings and virtual-host-limits hold at once; what else differs is listed.",
            "If the file is not valid nothing changes, and the exit code is 2.",
            "",
            "  sluicemq reload --data /var/lib/sluicemq"
        })
public final class ReloadCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerQuestion broker;

    @Override
    public Integer call() {
        return broker.ask(BrokerQuestion.command("reload"), this::print);
    }

    private int print(JsonNode answer) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        if (answer.has("problems")) {
            texts(answer, "problems").forEach(err::println);
            err.println(spec.qualifiedName() + ": the file is not valid, so nothing has changed");
            err.flush();
            return spec.exitCodeOnInvalidInput();
        }
        List<String> applied = texts(answer, "applied");
        out.println("Read " + answer.path("file").asString() + " again: "
                + (applied.isEmpty() ? "nothing to change." : "changed " + String.join(", ", applied) + "."));
        List<String> needRestart = texts(answer, "needRestart");
        if (!needRestart.isEmpty()) {
            out.println("Needs a restart: " + String.join(", ", needRestart) + ".");
        }
        return 0;
    }

    private static List<String> texts(JsonNode answer, String key) {
        return answer.path(key).valueStream().map(JsonNode::asString).toList();
    }
}
