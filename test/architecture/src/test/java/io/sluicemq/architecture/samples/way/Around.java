package io.sluicemq.architecture.samples.way;

import java.util.function.Consumer;

/** Goes around the way in: by a call, by one that comes later, and by a reference. */
final class Around {

    void call(Store store) {
        store.add("a call");
    }

    Runnable later(Store store) {
        return () -> store.add("later");
    }

    Consumer<String> reference(Store store) {
        return store::add;
    }
}
