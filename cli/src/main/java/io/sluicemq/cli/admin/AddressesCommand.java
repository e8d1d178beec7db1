package io.sluicemq.cli.admin;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code sluicemq addresses}: lists what addresses hold, and may hold. Runs on the thread of the command line.
 *
 * <p>Exit codes: 0 the broker has answered, 1 it can't be asked (one line says why), 2 a wrong option.
 */
@Command(
        name = "addresses",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "List what addresses hold, what they may hold, and how many producers wait.",
        footer = {"", "Of a running broker, by its data folder and as the user who runs it.",
            "",
            "  sluicemq addresses --data /var/lib/sluicemq"})
public final class AddressesCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerQuestion broker;

    @Override
    public Integer call() {
        return broker.ask(BrokerQuestion.command("addresses"), answer -> {
            AddressTable.lines(AddressAnswer.of(answer)).forEach(spec.commandLine().getOut()::println);
            return 0;
        });
    }
}
