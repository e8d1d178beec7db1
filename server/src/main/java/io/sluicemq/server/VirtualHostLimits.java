package io.sluicemq.server;

import io.sluicemq.base.Quota;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Option;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.engine.HostLimits;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.VirtualHostsSection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The limits of virtual hosts that are in force: those of the configuration, until others are set while the broker runs. Any thread, one at a
 * time.
 */
final class VirtualHostLimits {

    private static final List<Option<Long>> OPTIONS = List.of(
            VirtualHostsSection.HOST_MAX_SIZE_BYTES, VirtualHostsSection.HOST_MAX_MESSAGES,
            VirtualHostsSection.HOST_MAX_CONNECTIONS,
            VirtualHostsSection.HOST_MAX_QUEUES, VirtualHostsSection.HOST_MAX_MESSAGE_SIZE);

    private final BrokerEngine engine;
    /** By virtual host, of all of them; those there are. */
    private final Map<String, Map<Option<Long>, Long>> limits = new LinkedHashMap<>();
    /** By virtual host, since the configuration was read the last time. */
    private final Map<String, Set<Option<Long>>> setAtRunTime = new HashMap<>();

    /** @param config what the engine was begun with */
    VirtualHostLimits(BrokerEngine engine, ServerConfig config) {
        this.engine = engine;
        config.virtualHosts().forEach(name -> limits.put(name, read(config, name)));
    }

    private static Map<Option<Long>, Long> read(ServerConfig config, String name) {
        Map<Option<Long>, Long> read = new HashMap<>();
        HostLimits counts = config.hostLimits().getOrDefault(name, HostLimits.NONE);
        put(read, VirtualHostsSection.HOST_MAX_CONNECTIONS, counts.maxConnections(), Quota.UNLIMITED);
        put(read, VirtualHostsSection.HOST_MAX_QUEUES, counts.maxQueues(), Quota.UNLIMITED);
        put(read, VirtualHostsSection.HOST_MAX_MESSAGE_SIZE, counts.maxMessageBytes(), Quota.UNLIMITED);
        AddressLimits stored = config.virtualHostLimits().get(name);
        if (stored != null) {
            put(read, VirtualHostsSection.HOST_MAX_SIZE_BYTES, stored.maxBytes(), AddressLimits.NONE);
            put(read, VirtualHostsSection.HOST_MAX_MESSAGES, stored.maxMessages(), AddressLimits.NONE);
        }
        return read;
    }

    private static void put(Map<Option<Long>, Long> to, Option<Long> option, long most, long none) {
        if (most != none) {
            to.put(option, most);
        }
    }

    /**
     * What has come of a new configuration.
     *
     * @param later virtual hosts that are to have limits of size and had none at the start: for these the broker must be started again
     * @param undone limits set at run time that don't hold any more, in words
     */
    record Replaced(List<String> later, List<String> undone) {}

    /** Has those of a configuration hold, for the virtual hosts that there are. */
    synchronized Replaced replace(ServerConfig config) {
        List<String> undone = new ArrayList<>();
        limits.replaceAll((name, before) -> {
            Map<Option<Long>, Long> next = read(config, name);
            String lost = OPTIONS.stream()
                    .filter(option -> setAtRunTime.getOrDefault(name, Set.of()).contains(option))
                    .filter(option -> !Objects.equals(before.get(option), next.get(option)))
                    .map(option -> option.key() + "=" + (before.containsKey(option) ? before.get(option) : "none"))
                    .collect(Collectors.joining(", "));
            if (!lost.isEmpty()) {
                undone.add("virtual-host-limits of " + name + " (undone: " + lost + ", set at run time)");
            }
            return next;
        });
        setAtRunTime.clear();
        return new Replaced(apply(), undone);
    }

    /** By virtual host, and by the names of the configuration, in its order; of virtual hosts without limits there is an empty one. */
    synchronized Map<String, Map<String, Long>> all() {
        Map<String, Map<String, Long>> all = new LinkedHashMap<>();
        limits.forEach((name, ofHost) -> {
            Map<String, Long> named = new LinkedHashMap<>();
            OPTIONS.stream().filter(ofHost::containsKey)
                    .forEach(option -> named.put(option.key(), ofHost.get(option)));
            all.put(name, named);
        });
        return all;
    }

    /**
     * Sets one, until a configuration is read again.
     *
     * @param most empty to take it away
     * @throws IllegalArgumentException if there is no such limit or virtual host, or it can't be that
     * @throws IllegalStateException if the broker must be started again for that; then nothing has changed
     */
    synchronized void set(String virtualHost, String key, Optional<Long> most) {
        Map<Option<Long>, Long> ofHost = limits.get(virtualHost);
        if (ofHost == null) {
            throw new IllegalArgumentException("there is no vhost '" + virtualHost + "'");
        }
        Option<Long> option = OPTIONS.stream().filter(each -> each.key().equals(key)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("vhosts have no limit '" + key + "': expected one of "
                        + OPTIONS.stream().map(Option::key).collect(Collectors.joining(", "))));
        Long before = ofHost.get(option);
        try {
            if (most.isPresent()) {
                ofHost.put(option, option.parse(Long.toString(most.get())));
            } else {
                ofHost.remove(option);
            }
        } catch (InvalidValue e) {
            throw new IllegalArgumentException(key + " can't be " + most.get() + ": expected " + e.expected(), e);
        }
        if (apply().contains(virtualHost)) {
            if (before == null) {
                ofHost.remove(option);
            } else {
                ofHost.put(option, before);
            }
            throw new IllegalStateException(
                    "vhost '" + virtualHost + "' had no limit of size or messages when the broker"
                            + " started: set " + key + " in the configuration, and start it again");
        }
        setAtRunTime.computeIfAbsent(virtualHost, name -> new HashSet<>()).add(option);
    }

    private List<String> apply() {
        Map<String, HostLimits> counts = new HashMap<>();
        Map<String, AddressLimits> stored = new HashMap<>();
        limits.forEach((name, ofHost) -> {
            counts.put(name, new HostLimits(
                    ofHost.getOrDefault(VirtualHostsSection.HOST_MAX_CONNECTIONS, Quota.UNLIMITED),
                    ofHost.getOrDefault(VirtualHostsSection.HOST_MAX_QUEUES, Quota.UNLIMITED),
                    ofHost.getOrDefault(VirtualHostsSection.HOST_MAX_MESSAGE_SIZE, Quota.UNLIMITED)));
            long bytes = ofHost.getOrDefault(VirtualHostsSection.HOST_MAX_SIZE_BYTES, AddressLimits.NONE);
            long messages = ofHost.getOrDefault(VirtualHostsSection.HOST_MAX_MESSAGES, AddressLimits.NONE);
            if (bytes != AddressLimits.NONE || messages != AddressLimits.NONE) {
                stored.put(name, AddressLimits.ofVirtualHost(bytes, messages));
            }
        });
        engine.hostLimits(counts);
        return engine.virtualHostLimits(stored);
    }
}
