package io.sluicemq.campaign.full;

import io.sluicemq.campaign.EmbeddedBroker;
import java.io.PrintStream;
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

    @Option(names = "--seconds", defaultValue = "5",
            description = "How long rates are measured, each (default: ${DEFAULT-VALUE}).")
    private int seconds;

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
        System.exit(new CommandLine(new FullAddresses(System.out)).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        boolean right = true;
        try (EmbeddedBroker broker = EmbeddedBroker.start()) {
            right &= new LimitHolds(broker, connections, out).run();
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start()) {
            right &= new Wakes(broker, out).run();
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start()) {
            right &= new Rounds(broker, rounds, seed, out).run();
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start()) {
            right &= new Neighbours(broker, seconds, out).run();
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start()) {
            right &= new JmsNeighbours(broker, seconds, out).run();
        }
        out.println(right ? "All was right." : "Something was wrong.");
        return right ? 0 : 1;
    }
}
