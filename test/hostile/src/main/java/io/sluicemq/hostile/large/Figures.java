package io.sluicemq.hostile.large;

import io.sluicemq.hostile.large.SmallMessages.Stretch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What arrived in all stretches of one kind: how many small messages in a second, and how late. For one thread. */
final class Figures {

    private static final double NANOS = 1e9;
    private static final double MICROS_PER_MILLI = 1e3;

    private final List<List<Stretch>> rounds = new ArrayList<>();

    /** What is added from now on belongs to another round. */
    void beginRound() {
        rounds.add(new ArrayList<>());
    }

    void add(Stretch stretch) {
        rounds.getLast().add(stretch);
    }

    private List<Stretch> all() {
        return rounds.stream().flatMap(List::stream).toList();
    }

    private static double seconds(List<Stretch> stretches) {
        return stretches.stream().mapToLong(Stretch::nanos).sum() / NANOS;
    }

    private static double rate(List<Stretch> stretches) {
        return stretches.stream().mapToLong(each -> each.lateMicros().length).sum() / seconds(stretches);
    }

    /** How long all stretches took together. */
    double seconds() {
        return seconds(all());
    }

    /** Messages a second. */
    double rate() {
        return rate(all());
    }

    /** The rate of each round by the other's, for people. */
    String ratios(Figures other) {
        return IntStream.range(0, rounds.size())
                .mapToObj(i -> String.format(Locale.ROOT, "%.2f", rate(rounds.get(i)) / rate(other.rounds.get(i))))
                .collect(Collectors.joining(", "));
    }

    /** By how many milliseconds at most all but the latest messages were late; {@code part} of 1 for all of them. */
    double lateMillis(double part) {
        int[] all = all().stream().flatMapToInt(each -> IntStream.of(each.lateMicros())).sorted().toArray();
        return all.length == 0 ? Double.NaN : all[(int) Math.ceil(part * all.length) - 1] / MICROS_PER_MILLI;
    }
}
