package io.sluicemq.architecture.samples.way;

/** Is not {@link Entry}, though its name begins like that. */
final class EntryFee {

    void call(Store store) {
        store.add("a call");
    }
}
