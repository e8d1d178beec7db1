package io.sluicemq.management.metrics;

import java.util.List;

/**
 * One thing that is measured, as data: what is scraped and what the documentation says come from the same. Immutable.
 *
 * @param name as it is scraped, with the unit in it; a counter's ends in {@code _total}, words in {@code _info}
 * @param help what it is, in a sentence
 * @param labels the names of its labels
 * @param source where its values are
 */
record Metric(String name, Type type, String help, List<String> labels, Source source) {

    /** What kinds there are. */
    enum Type {
        /** It only grows, but for a restart. */
        COUNTER,
        /** It is what it is at that moment. */
        GAUGE,
        /** How values are distributed. */
        HISTOGRAM,
        /** Words about the broker, as labels. */
        INFO
    }

    /** Takes the values out of what was gathered. */
    interface Source {
        void read(Gathered gathered, Points points);
    }

    Metric {
        labels = List.copyOf(labels);
        if (!name.endsWith(suffix(type)) || type != Type.COUNTER && name.endsWith(suffix(Type.COUNTER))) {
            throw new IllegalArgumentException(name + " is no name for a " + type);
        }
    }

    static Metric counter(String name, String help, Source source) {
        return new Metric(name, Type.COUNTER, help, List.of(), source);
    }

    static Metric gauge(String name, String help, Source source) {
        return new Metric(name, Type.GAUGE, help, List.of(), source);
    }

    static Metric histogram(String name, String help, Source source) {
        return new Metric(name, Type.HISTOGRAM, help, List.of(), source);
    }

    /** The same for each of these. */
    Metric by(String... names) {
        return new Metric(name, type, help, List.of(names), source);
    }

    private static String suffix(Type type) {
        return switch (type) {
            case COUNTER -> "_total";
            case INFO -> "_info";
            case GAUGE, HISTOGRAM -> "";
        };
    }

    /** The name without what is the same for all of its type. */
    String baseName() {
        return name.substring(0, name.length() - suffix(type).length());
    }
}
