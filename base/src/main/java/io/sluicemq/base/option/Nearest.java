package io.sluicemq.base.option;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that somebody probably meant. */
public final class Nearest {

    private Nearest() {}

    /**
     * The candidate with the fewest letters inserted, deleted, replaced or swapped with their neighbour, if that is at most
     * one for each three letters; case and the choice between hyphen and underscore count for nothing.
     */
    public static Optional<String> of(String word, Collection<String> candidates) {
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int distance = distance(plain(word), plain(candidate));
            int allowed = Math.max(1, Math.min(word.length(), candidate.length()) / 3);
            if (distance <= allowed && distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    }

    /** The optimal string alignment distance. */
    private static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int replace = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int least = Math.min(replace, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    least = Math.min(least, cost[i - 2][j - 2] + 1);
                }
                cost[i][j] = least;
            }
        }
        return cost[a.length()][b.length()];
    }
}
