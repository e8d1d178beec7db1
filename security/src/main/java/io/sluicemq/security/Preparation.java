package io.sluicemq.security;

import com.ongres.saslprep.SASLprep;

/**
 * SASLprep (RFC 4013), which makes different ways to type the same name or password equal. Characters that Unicode 3.2, on which it
 * stands, did not know yet are taken as they are, on both sides alike (as RFC 3454 §7 has it for queries), so that they may be used.
 */
final class Preparation {

    private static final SASLprep PROFILE = new SASLprep();

    private Preparation() {}

    /** The prepared text, or null if it can't be prepared: it holds what is prohibited, or nothing of it is left. */
    static String prepared(String text) {
        try {
            String prepared = PROFILE.prepareQuery(text);
            return prepared.isEmpty() ? null : prepared;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
