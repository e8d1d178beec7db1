package io.sluicemq.broker.engine;

import io.sluicemq.api.MessageFilter;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the broker is told at its start.
 *
 * @param virtualHosts their names
 * @param memoryBudgetBytes bytes of messages in memory beyond which publishers are held back
 * @param names makes names for queues and reply addresses that nobody can guess; called on any loop
 * @param formats of the messages that the log may hold
 * @param witness what answers wait for beside the log; null for nothing
 * @param addressSettings the limits of addresses, until they are changed
 * @param virtualHostLimits the limits of virtual hosts, by name; one that is not in it has none
 * @param filters reads a message filter as {@link io.sluicemq.broker.queue.QueueOptions#parse} wants it, on any loop; null for a
 *     broker without
 */
public record BrokerConfig(
        List<String> virtualHosts,
        long memoryBudgetBytes,
        Supplier<String> names,
        List<MessageFormat> formats,
        Witness witness,
        AddressSettings addressSettings,
        Map<String, AddressLimits> virtualHostLimits,
        Function<String, MessageFilter> filters) {

    public BrokerConfig {
        virtualHosts = List.copyOf(virtualHosts);
        formats = List.copyOf(formats);
        virtualHostLimits = Map.copyOf(virtualHostLimits);
    }

    /** Without a witness, for a broker that has no log. */
    public BrokerConfig(List<String> virtualHosts, long memoryBudgetBytes, Supplier<String> names) {
        this(virtualHosts, memoryBudgetBytes, names, List.of(), null, AddressSettings.NONE, Map.of(), null);
    }

    /** The same with these formats. */
    public BrokerConfig withFormats(List<MessageFormat> all) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, all, witness, addressSettings,
                virtualHostLimits, filters);
    }

    /** The same with a witness. */
    public BrokerConfig withWitness(Witness other) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, formats, other, addressSettings,
                virtualHostLimits, filters);
    }

    /** The same with these limits of addresses. */
    public BrokerConfig withAddressSettings(AddressSettings settings) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, formats, witness, settings, virtualHostLimits,
                filters);
    }

    /** The same with limits of virtual hosts, by name. */
    public BrokerConfig withVirtualHostLimits(Map<String, AddressLimits> limits) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, formats, witness, addressSettings, limits,
                filters);
    }

    /** The same with a reader of message filters. */
    public BrokerConfig withFilters(Function<String, MessageFilter> reader) {
        return new BrokerConfig(virtualHosts, memoryBudgetBytes, names, formats, witness, addressSettings,
                virtualHostLimits, reader);
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
