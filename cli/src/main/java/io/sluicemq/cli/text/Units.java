package io.sluicemq.cli.text;

import java.util.Locale;

/** Writes sizes, times and counts for people. Stateless. */
public final class Units {

    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Units() {}

    /** {@code 12.3 MiB}. */
    public static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1023.95 && unit < SIZES.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, SIZES[unit]);
    }

    /** {@code 850 ms}, {@code 4.2 s}, {@code 3 min 20 s}, {@code 2 h 5 min}. */
    public static String millis(long millis) {
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
    public static String count(long count, String one) {
        return count + " " + one + (count == 1 ? "" : "s");
    }

    /** A limit in bytes, or a hyphen if it is negative: none. */
    public static String limitBytes(long limit) {
        return limit < 0 ? "-" : bytes(limit);
    }

    /** A limit in messages, or a hyphen if it is negative: none. */
    public static String limitCount(long limit) {
        return limit < 0 ? "-" : Long.toString(limit);
    }

    /** {@code 1,234}: what is done a second, as rounded as it is large. */
    public static String rate(double perSecond) {
        return perSecond < 100
                ? String.format(Locale.ROOT, "%.1f", perSecond)
                : String.format(Locale.ROOT, "%,d", Math.round(perSecond));
    }
}
