package io.sluicemq.cli.admin;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code sluicemq why}: says which producers wait, since when, for what, and who could make room. Runs on the thread of the command
 * line.
 *
 * <p>Exit codes: 0 the broker has answered, 1 it can't be asked (one line says why), 2 a wrong option.
 */
@Command(
        name = "why",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Say which producers wait, why, and who could make room.",
        footer = {
            "",
            "Of a running broker, by its data folder and as the user who runs it.",
            "Without an address or a connection: all who wait, and full addresses.",
            "It begins with a shortage of memory or disk that holds every publisher.",
            "",
            "  sluicemq why                          all who wait",
            "  sluicemq why orders                   an address: a queue or an exchange",
            "  sluicemq why 10.1.2.3:59118 -o json   connections with this in their name"
        })
public final class WhyCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "ADDRESS|CONNECTION",
            description = "An address, or a part of a connection's name.")
    private String subject;

    @Mixin
    private BrokerQuestion broker;

    @Override
    public Integer call() {
        ObjectNode request = BrokerQuestion.command("why");
        if (subject != null) {
            request.put("subject", subject);
        }
        return broker.ask(request, answer -> {
            WhyText.lines(AddressAnswer.of(answer), subject).forEach(spec.commandLine().getOut()::println);
            return 0;
        });
    }
}
