package io.sluicemq.cli.operate;

import io.sluicemq.base.option.Nearest;
import io.sluicemq.cli.http.BrokerAccess;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

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

    /** Reads the word for a kind of things that are described, and offers those there are. */
    static final class DescribedKind implements ITypeConverter<Kind>, Iterable<String> {

        private static final List<Kind> DESCRIBED =
                List.of(Kind.QUEUES, Kind.EXCHANGES, Kind.CONNECTIONS, Kind.ADDRESSES);

        @Override
        public Kind convert(String word) {
            Optional<Kind> kind = Kind.called(word);
            if (kind.isEmpty()) {
                List<String> known = DESCRIBED.stream().map(Kind::one).toList();
                throw new TypeConversionException("'" + word + "' is none: expected " + EXPECTED
                        + Nearest.of(word, known)
                                .map(nearest -> ", did you mean " + nearest + "?")
                                .orElse(", such as 'sluicemq describe queue " + word + "'"));
            }
            if (!DESCRIBED.contains(kind.get())) {
                String many = kind.get().many();
                throw new TypeConversionException(many + " are not described: expected " + EXPECTED
                        + "; 'sluicemq get " + many + " -o yaml' has all that is known of them");
            }
            return kind.get();
        }

        @Override
        public Iterator<String> iterator() {
            return DESCRIBED.stream().map(Kind::one).iterator();
        }
    }

    private static final String EXPECTED = "queue, exchange, connection or address";

    @Parameters(index = "0", paramLabel = "KIND", converter = DescribedKind.class,
            completionCandidates = DescribedKind.class, description = "${COMPLETION-CANDIDATES}.")
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
                    throw new IllegalStateException("the word for " + kind.many() + " has been refused");
            };
            output.print(description.json(), description::lines);
            return 0;
        });
    }
}
