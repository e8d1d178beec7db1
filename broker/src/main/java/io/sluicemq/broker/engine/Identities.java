package io.sluicemq.broker.engine;

import io.sluicemq.base.LoopOwned;
import java.util.HashMap;
import java.util.Map;

/**
 * What the clients of a virtual host call themselves. Owned by the host's home loop.
 *
 * <p>Invariant: an identity that one has for itself is nobody else's.
 */
@LoopOwned
final class Identities {

    private static final int SOLE = -1;

    /** By identity: how many have it, or {@link #SOLE}. */
    private final Map<String, Integer> holders = new HashMap<>();

    /**
     * Takes an identity until {@link #release}.
     *
     * @param sole whether nobody else may have it
     * @return false, and nothing is taken, if another has it and one of the two wants it for itself
     */
    boolean take(String identity, boolean sole) {
        int others = holders.getOrDefault(identity, 0);
        if (others == SOLE || sole && others > 0) {
            return false;
        }
        holders.put(identity, sole ? SOLE : others + 1);
        return true;
    }

    void release(String identity) {
        int left = holders.get(identity) - 1;
        if (left <= 0) {
            holders.remove(identity);
        } else {
            holders.put(identity, left);
        }
    }
}
