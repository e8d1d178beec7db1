package io.sluicemq.api;

/** What a user may be allowed to do with names of exchanges and queues, as in RabbitMQ's access control. */
public enum Permission {
    /** To make and delete exchanges and queues. */
    CONFIGURE("configure"),
    /** To publish to an exchange or an address, and to bind to a queue or an exchange. */
    WRITE("write"),
    /** To consume from a queue and to purge it, to bind from an exchange, to subscribe to a topic. */
    READ("read");

    private final String word;

    Permission(String word) {
        this.word = word;
    }

    /** The word that the field uses for it. */
    public String word() {
        return word;
    }
}
