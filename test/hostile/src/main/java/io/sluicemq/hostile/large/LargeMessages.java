package io.sluicemq.hostile.large;

import io.sluicemq.hostile.HostedBroker;
import io.sluicemq.hostile.large.Conversation.Protocol;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Whether small messages keep their rate while a large one comes in and goes out, on the same connection or on another. */
@Command(name = "large-messages", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Sends small messages at a steady rate to a broker with a small heap, alone and while large ones go in and out, on"
                + " the same connection and on another, and compares what arrives in a second and how late.",
        footer = {"", "Exit code: 0 if all kept their rate, 1 if not, 2 for wrong usage."})
public final class LargeMessages implements Callable<Integer> {

    private static final double LEAST = 0.9;
    private static final int MIB = 1 << 20;

    @Option(names = "--heap", defaultValue = "256m", description = "The broker's -Xmx (default: ${DEFAULT-VALUE}).")
    private String heap;

    @Option(names = "--mib", defaultValue = "100",
            description = "How many MiB a large message has (default: ${DEFAULT-VALUE}).")
    private int mib;

    @Option(names = "--rate", defaultValue = "1000",
            description = "How many small messages are sent in a second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--rounds", defaultValue = "5",
            description = "How often it is measured, alone and beside in turn (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "2",
            description = "How long it is measured alone each time, and beside at least (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--jvm", description = "A further flag of the broker's JVM, such as -XX:+UseSerialGC.")
    private List<String> flags = List.of();

    private final PrintStream output;

    /** Prints to a stream. */
    public LargeMessages(PrintStream output) {
        this.output = output;
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LargeMessages(System.out)).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        boolean right = true;
        for (Protocol protocol : Protocol.values()) {
            for (boolean durable : new boolean[] {false, true}) {
                for (boolean shared : new boolean[] {true, false}) {
                    right &= measure(protocol, durable, shared);
                }
            }
        }
        output.println(right ? "All kept their rate." : "Not all kept their rate.");
        return right ? 0 : 1;
    }

    private HostedBroker start(Path data) throws IOException {
        List<String> all = new ArrayList<>(flags);
        all.addAll(List.of("-Xmx" + heap, "-Dhosted.data=" + data));
        return HostedBroker.start(all.toArray(String[]::new));
    }

    private boolean measure(Protocol protocol, boolean durable, boolean shared) throws Exception {
        Path data = Files.createTempDirectory("large-messages-");
        try (HostedBroker broker = start(data);
                Conversation first = protocol.open(broker.port());
                Conversation second = shared ? first : protocol.open(broker.port());
                SmallMessages small = new SmallMessages(rate)) {
            small.open(first);
            second.openLarge();
            first.begin();
            if (second != first) {
                second.begin();
            }
            small.begin();
            Figures alone = new Figures();
            Figures in = new Figures();
            Figures out = new Figures();
            round(small, second, durable, new Figures(), new Figures(), new Figures()); // for the JVMs to get warm
            int passed = 0;
            for (int i = 0; i < rounds; i++) {
                passed += round(small, second, durable, alone, in, out);
            }
            return report(
                    "%s, %s, on %s".formatted(
                            protocol, durable ? "durable" : "transient",
                            shared ? "the same connection" : "another connection"),
                    passed, alone, in, out);
        } finally {
            delete(data);
        }
    }

    /** Measures alone, then beside large messages, which go in and out one after the other; returns how many did. */
    private int round(SmallMessages small, Conversation large, boolean durable, Figures alone, Figures in, Figures out)
            throws IOException, InterruptedException {
        small.nextStretch();
        Thread.sleep(seconds * 1_000L);
        alone.beginRound();
        alone.add(small.nextStretch());
        in.beginRound();
        out.beginRound();
        int passed = 0;
        long start = System.nanoTime();
        do {
            small.nextStretch();
            large.sendLarge(mib * MIB, durable);
            in.add(small.nextStretch());
            large.receiveLarge(mib * MIB);
            out.add(small.nextStretch());
            passed++;
        } while (System.nanoTime() - start < seconds * 1_000_000_000L);
        return passed;
    }

    private boolean report(String what, int passed, Figures alone, Figures in, Figures out) {
        output.printf("%s: %d large messages, %.0f MiB/s in, %.0f MiB/s out%n", what, passed,
                passed * mib / in.seconds(), passed * mib / out.seconds());
        print("alone", alone, alone);
        print("while one comes in", in, alone);
        print("while one goes out", out, alone);
        return in.rate() >= LEAST * alone.rate() && out.rate() >= LEAST * alone.rate();
    }

    private void print(String when, Figures figures, Figures alone) {
        output.printf("  %-18s %,7.0f a second: %.2f (%s); late by %.1f ms in the median, %.1f at p99, %.1f at worst%n",
                when,
                figures.rate(), figures.rate() / alone.rate(), figures.ratios(alone), figures.lateMillis(0.5),
                figures.lateMillis(0.99), figures.lateMillis(1));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
