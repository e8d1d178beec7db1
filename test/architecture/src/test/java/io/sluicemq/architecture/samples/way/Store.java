package io.sluicemq.architecture.samples.way;

/** Something that only {@link Entry} may fill. */
final class Store {

    void add(String item) {
        item.length();
    }
}
