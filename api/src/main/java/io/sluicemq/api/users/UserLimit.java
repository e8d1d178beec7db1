package io.sluicemq.api.users;

import java.util.Arrays;
import java.util.Optional;

/** What of a user can be limited. */
public enum UserLimit {
    /** Connections into virtual hosts. */
    CONNECTIONS("max-connections"),
    /** Channels of all connections together; with AMQP 1.0 sessions. */
    CHANNELS("max-channels"),
    /** Queues that they have declared, by whatever protocol, and that are there. */
    QUEUES("max-queues"),
    /** The bytes of a message that they publish. */
    MESSAGE_BYTES("max-message-size"),
    /** Links of AMQP 1.0 that have ended and whose deliveries are kept for links that come back. */
    KEPT_LINKS("max-kept-links");

    private final String key;

    UserLimit(String key) {
        this.key = key;
    }

    /** What it is called in files and by HTTP. */
    public String key() {
        return key;
    }

    /** The one that is called so. */
    public static Optional<UserLimit> called(String key) {
        return Arrays.stream(values()).filter(each -> each.key.equals(key)).findFirst();
    }
}
