package io.sluicemq.broker.routing;

/** Stands for a queue: told apart by identity, shown by its name. */
final class TestQueue {

    private final String name;

    TestQueue(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
