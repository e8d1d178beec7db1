package io.sluicemq.architecture.samples.way;

/** The one way in, also from a part of it and later. */
final class Entry {

    final class Part {
        Runnable later(Store store) {
            return () -> store.add("by the way in");
        }
    }
}
