package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.BrokerAccess;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicemq describe}: says all that is known of one thing. Runs on the thread of the command line. */
@Command(
        name = "describe",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Say all that is known of a queue, an exchange, a connection or an address.",
        footer = {
            "",
            "Who waits for it and why, and how near each consumer is to what counts as too slow, is part of it.",
            "",
            "  sluicemq describe queue orders",
            "  sluicemq describe connection 10.1.2.3:59118     a part of its name that no other has",
            "  sluicemq describe address orders -o json"
        })
public final class DescribeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "KIND", converter = KindWord.class, completionCandidates = KindWord.class,
            description = "queue, exchange, connection or address.")
    private Kind kind;

    @Parameters(index = "1", paramLabel = "NAME", description = "Which one.")
    private String name;

    @Mixin
    private OutputForm output;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        return broker.ask(api -> {
            Description description = switch (kind) {
                case QUEUES -> Description.queue(api, name);
                case EXCHANGES -> Description.exchange(api, name);
                case CONNECTIONS -> Description.connection(api, name);
                case ADDRESSES -> Description.address(api, name);
                case BINDINGS, CHANNELS, CONSUMERS, VHOSTS, USERS, EVENTS ->
                    throw new ParameterException(spec.commandLine(),
                            kind.many() + " are not described: expected queue, exchange, connection or address;"
                                    + " 'sluicemq get " + kind.many() + " -o yaml' has all that is known of them");
            };
            output.print(description.json(), description::lines);
            return 0;
        });
    }
}
