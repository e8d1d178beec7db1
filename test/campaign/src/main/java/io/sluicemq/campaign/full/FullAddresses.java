package io.sluicemq.campaign.full;

import io.sluicemq.campaign.EmbeddedBroker;
import java.io.PrintStream;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** All of it, one after the other, and what came out. */
@Command(name = "full-addresses", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Fills addresses by many connections and checks that limits hold, that whoever waits is woken, and that"
                + " nobody else is slowed.",
        footer = {"", "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class FullAddresses implements Callable<Integer> {

    @Option(names = "--connections", defaultValue = "50",
            description = "How many publish to the full address (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Option(names = "--rounds", defaultValue = "10000",
            description = "How many random rounds of filling and making room (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--pairs", defaultValue = "7",
            description = "How often rates are measured, alone and beside a full queue (default: ${DEFAULT-VALUE}).")
    private int pairs;

    @Option(names = "--seconds", defaultValue = "5",
            description = "How long rates are measured, each (default: ${DEFAULT-VALUE}).")
    private int seconds;

    /** What it consists of. */
    enum Part {
        LIMITS,
        WAKES,
        ROUNDS,
        RATES,
        AMQP10_RATES
    }

    @Option(names = "--parts", split = ",", defaultValue = "LIMITS,WAKES,ROUNDS,RATES,AMQP10_RATES",
            description = "What of it is done, of ${COMPLETION-CANDIDATES} (default: all).")
    private Set<Part> parts;

    @Option(names = "--seed", defaultValue = "1",
            description = "What the rounds are made of (default: ${DEFAULT-VALUE}).")
    private long seed;

    private final PrintStream out;

    /** Prints to a stream. */
    public FullAddresses(PrintStream out) {
        this.out = out;
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new FullAddresses(System.out))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        boolean right = true;
        for (Part part : Part.values()) {
            if (parts.contains(part)) {
                try (EmbeddedBroker broker = EmbeddedBroker.start()) {
                    right &= run(part, broker);
                }
            }
        }
        out.println(right ? "All was right." : "Something was wrong.");
        return right ? 0 : 1;
    }

    private boolean run(Part part, EmbeddedBroker broker) throws Exception {
        return switch (part) {
            case LIMITS -> new LimitHolds(broker, connections, out).run();
            case WAKES -> new Wakes(broker, out).run();
            case ROUNDS -> new Rounds(broker, rounds, seed, out).run();
            case RATES -> new Neighbours(broker, rates()).run();
            case AMQP10_RATES -> new JmsNeighbours(broker, rates(), out).run();
        };
    }

    private NeighbourRates rates() {
        return new NeighbourRates(pairs, seconds, out);
    }
}
