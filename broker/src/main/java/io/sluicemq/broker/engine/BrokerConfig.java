package io.sluicemq.broker.engine;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the broker is told at its start.
 *
 * @param virtualHosts their names
 * @param memoryBudgetBytes bytes of messages in memory beyond which publishers are held back
 * @param names makes names for queues and reply addresses that nobody can guess; called on any loop
 */
public record BrokerConfig(List<String> virtualHosts, long memoryBudgetBytes, Supplier<String> names) {

    public BrokerConfig {
        virtualHosts = List.copyOf(virtualHosts);
    }

    /** With names of 128 random bits. */
    public BrokerConfig(List<String> virtualHosts, long memoryBudgetBytes) {
        this(virtualHosts, memoryBudgetBytes, randomNames());
    }

    private static Supplier<String> randomNames() {
        SecureRandom random = new SecureRandom();
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return () -> {
            byte[] bytes = new byte[16];
            random.nextBytes(bytes);
            return encoder.encodeToString(bytes);
        };
    }
}
