package io.sluicemq.simulation;

import java.util.Locale;

/** Something that must always hold does not. */
final class Broken extends AssertionError {

    private static final long serialVersionUID = 1;

    Broken(String what) {
        super(what);
    }

    static void unless(boolean holds, String what, Object... details) {
        if (!holds) {
            throw new Broken(String.format(Locale.ROOT, what, details));
        }
    }
}
