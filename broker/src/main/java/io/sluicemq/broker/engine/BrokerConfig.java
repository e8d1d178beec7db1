package io.sluicemq.broker.engine;

import io.sluicemq.api.MessageFormat;
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
 * @param formats of the messages that the log may hold
 * @param witness what answers wait for beside the log; null for nothing
 */
public record BrokerConfig(
        List<String> virtualHosts,
        long memoryBudgetBytes,
        Supplier<String> names,
        List<MessageFormat> formats,
        Witness witness) {

    public BrokerConfig {
        virtualHosts = List.copyOf(virtualHosts);
        formats = List.copyOf(formats);
    }

    /** Without a witness, for a broker that has no log. */
    public BrokerConfig(List<String> virtualHosts, long memoryBudgetBytes, Supplier<String> names) {
        this(virtualHosts, memoryBudgetBytes, names, List.of(), null);
    }

    /** The same with these formats. */
    public BrokerConfig withFormats(List<MessageFormat> all) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, all, witness);
    }

    /** The same with a witness. */
    public BrokerConfig withWitness(Witness other) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, formats, other);
    }

    /** The format of that name, or null. */
    MessageFormat format(String name) {
        for (MessageFormat format : formats) {
            if (format.name().equals(name)) {
                return format;
            }
        }
        return null;
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
