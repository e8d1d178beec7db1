package io.sluicemq.cli.admin;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code sluicemq why}: says which producers wait, since when, for what, and who could make room. Runs on the thread of the command
 * line.
 *
 * <p>It asks by the socket in a data folder that is named or, unless a URL is said, that is here; else over HTTP.
 *
 * <p>Exit codes: 0 the broker has answered, 1 it can't be asked by its socket, or refuses (one line says why), 2 a wrong option, 3 nobody has
 * answered over HTTP.
 */
@Command(
        name = "why",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Say which producers wait, why, and who could make room.",
        footer = {
            "",
            "Of a running broker: by its data folder, as the user who runs it, if that is",
            "named or there is one here; else over HTTP.",
            "Without an address or a connection: all who wait, and full addresses.",
            "It begins with a shortage of memory or disk that holds every publisher.",
            "",
            "  sluicemq why                          all who wait",
            "  sluicemq why orders                   an address: a queue or an exchange",
            "  sluicemq why 10.1.2.3:59118 -o json   connections with this in their name",
            "  sluicemq why --url http://10.1.2.3:15672"
        })
public final class WhyCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "ADDRESS|CONNECTION",
            description = "An address, or a part of a connection's name.")
    private String subject;

    @Mixin
    private BrokerQuestion socket;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        if (socket.isSaid() && broker.isSaid()) {
            throw new ParameterException(
                    spec.commandLine(), "--data and --url are two ways to the broker: expected one of them");
        }
        return socket.isSaid() || !broker.isSaid() && socket.isThere() ? bySocket() : broker.ask(this::overHttp);
    }

    private int bySocket() {
        ObjectNode request = BrokerQuestion.command("why");
        if (subject != null) {
            request.put("subject", subject);
        }
        return socket.ask(request, answer -> print(AddressAnswer.of(answer)));
    }

    private int overHttp(Api api) {
        AddressAnswer answer = AddressAnswer.overHttp(
                api.get(Api.path("why"), subject == null ? Map.of() : Map.of("subject", subject)));
        if (socket.isForPrograms()) {
            socket.print(answer);
            return 0;
        }
        return print(answer);
    }

    private int print(AddressAnswer answer) {
        WhyText.lines(answer, subject).forEach(spec.commandLine().getOut()::println);
        return 0;
    }
}
