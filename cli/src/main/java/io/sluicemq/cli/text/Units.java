package io.sluicemq.cli.admin;

import io.sluicemq.broker.flow.AddressLimits;
import java.util.Locale;

/** Writes sizes, times and counts for people. Stateless. */
final class Units {

    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Units() {}

    /** {@code 12.3 MiB}. */
    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1023.95 && unit < SIZES.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, SIZES[unit]);
    }

    /** {@code 850 ms}, {@code 4.2 s}, {@code 3 min 20 s}, {@code 2 h 5 min}. */
    static String millis(long millis) {
        if (millis < 1000) {
            return millis + " ms";
        }
        if (millis < 59_950) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        long seconds = (millis + 500) / 1000;
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }

    /** {@code 1 message}, {@code 12 messages}. */
    static String count(long count, String one) {
        return count + " " + one + (count == 1 ? "" : "s");
    }

    /** A line with names in it that clients chose: what a terminal would obey is a question mark. */
    static String plain(String line) {
        return line.replaceAll("\\p{Cntrl}", "?");
    }

    /** A limit in bytes, or a hyphen. */
    static String limitBytes(long limit) {
        return limit == AddressLimits.NONE ? "-" : bytes(limit);
    }

    /** A limit in messages, or a hyphen. */
    static String limitCount(long limit) {
        return limit == AddressLimits.NONE ? "-" : Long.toString(limit);
    }
}
