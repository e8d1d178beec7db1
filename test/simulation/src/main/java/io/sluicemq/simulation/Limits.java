package io.sluicemq.simulation;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.api.Message;
import io.sluicemq.base.Allowance;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.flow.GateView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The limits of addresses of a run: chosen by its seed, changed on the way, and what they allow the broker to do with a publish.
 * Changes reach the broker's loops one after the other, so that for a while several may hold: every one since the last
 * moment at which no loop had anything to do.
 */
final class Limits {

    static final String HOST = "/";

    private static final Setting NONE = new Setting(AddressSettings.NONE, AddressLimits.UNLIMITED);
    private static final long MILLI = 1_000_000;

    private final RandomGenerator random;
    /** Whether the virtual host has limits, which is decided at the broker's start. */
    private final boolean host;
    private final boolean exchanges;
    private final List<Setting> settings = new ArrayList<>();
    /** The first of them that may still hold. */
    private int oldest;
    private long changes;

    /** Limits that were asked for together. */
    private record Setting(AddressSettings addresses, AddressLimits host) {

        AddressLimits of(String address) {
            return addresses.limitsOf(address);
        }
    }

    /** @param random its own, so that a run without limits is the same as if there were none to choose */
    private Limits(RandomGenerator random, Setting first, boolean host, boolean exchanges) {
        this.random = random;
        this.host = host;
        this.exchanges = exchanges;
        settings.add(first);
    }

    static Limits none() {
        return new Limits(null, NONE, false, false);
    }

    static Limits of(RandomGenerator random) {
        boolean host = random.nextInt(3) == 0;
        boolean exchanges = random.nextInt(2) == 0;
        return new Limits(random, random.nextBoolean() ? NONE : choose(random, host, exchanges), host, exchanges);
    }

    /** Whether there ever are any. */
    boolean isOn() {
        return random != null;
    }

    long changes() {
        return changes;
    }

    // ---- choosing

    private static Setting choose(RandomGenerator random, boolean host, boolean exchanges) {
        List<Rule> rules = new ArrayList<>();
        for (String queue : Ledger.QUEUES) {
            if (random.nextInt(5) < 3) {
                rules.add(rule(random, queue));
            }
        }
        if (exchanges && random.nextBoolean()) {
            rules.add(rule(random, Ledger.EXCHANGE));
        }
        if (exchanges && random.nextInt(3) == 0) {
            rules.add(rule(random, Ledger.TEMPORARY_EXCHANGE));
        }
        if (random.nextInt(6) == 0) {
            rules.add(new Rule("#", null, null, null, oneOf(random, 0, 50, 100), null, null, null));
        }
        AddressLimits hosts = AddressLimits.UNLIMITED;
        if (host && random.nextInt(3) > 0) {
            hosts = new AddressSettings(List.of(rule(random, HOST))).limitsOf(HOST);
            hosts = new AddressLimits(
                    hosts.maxBytes() == AddressLimits.NONE ? AddressLimits.NONE : hosts.maxBytes() * 8,
                    hosts.maxMessages() == AddressLimits.NONE ? AddressLimits.NONE : hosts.maxMessages() * 4,
                    hosts.policy() == FullPolicy.RING ? FullPolicy.BLOCK : hosts.policy(), hosts.lowWaterPercent(),
                    hosts.pageLimitBytes(), hosts.holdLimitNanos(), false);
        }
        return new Setting(new AddressSettings(rules), hosts);
    }

    private static Rule rule(RandomGenerator random, String address) {
        FullPolicy[] policies = {FullPolicy.BLOCK, FullPolicy.BLOCK, FullPolicy.BLOCK, FullPolicy.PAGE,
            FullPolicy.DROP, FullPolicy.FAIL, FullPolicy.RING};
        FullPolicy policy = policies[random.nextInt(policies.length)];
        return new Rule(
                address, bytes(oneOf(random, 0, 700, 2000, 8000, 40_000)), bytes(oneOf(random, 0, 1, 3, 10, 40)),
                policy, random.nextBoolean() ? null : oneOf(random, 0, 50, 80, 100),
                policy == FullPolicy.PAGE ? bytes(oneOf(random, 0, 4000, 30_000)) : null,
                random.nextInt(3) > 0 ? null : oneOf(random, 1, 50, 1000) * MILLI, null, null, null, null,
                random.nextInt(3) > 0 ? null : consumers(random));
    }

    /** Consumers that are too slow are cut, or only told of. No queue goes by that, since none of them is transient. */
    private static ConsumerRule consumers(RandomGenerator random) {
        return new ConsumerRule(
                oneOf(random, -1, 1, 2000), oneOf(random, -1, 1, 5), oneOf(random, -1, 10, 1000),
                oneOf(random, -1, 100, 1), oneOf(random, 1, 20, 200) * MILLI,
                random.nextInt(4) > 0 ? ConsumerPolicy.DELETE : ConsumerPolicy.NOTIFY, false, Cut.CHANNEL);
    }

    private static Long bytes(int value) {
        return value == 0 ? null : Long.valueOf(value);
    }

    private static int oneOf(RandomGenerator random, int... values) {
        return Plan.oneOf(random, values);
    }

    // ---- telling the broker

    /** What a broker begins with: the latest limits. */
    BrokerConfig configure(BrokerConfig config) {
        BrokerConfig limited = config.withAddressSettings(latest().addresses());
        return host ? limited.withVirtualHostLimits(Map.of(HOST, latest().host())) : limited;
    }

    /** A broker has begun: what held before does so no more. */
    void begun() {
        oldest = settings.size() - 1;
    }

    /** Other limits than until now. */
    void change(BrokerEngine engine) {
        if (isOn()) {
            set(engine, random.nextInt(5) == 0 ? NONE : choose(random, host, exchanges));
        }
    }

    private void set(BrokerEngine engine, Setting next) {
        changes++;
        settings.add(next);
        engine.addressSettings(next.addresses());
        if (host) {
            engine.virtualHostLimits(Map.of(HOST, next.host()));
        }
    }

    private Setting latest() {
        return settings.getLast();
    }

    /** No loop has anything to do, and nothing waits for the log: only the latest limits hold. */
    void settled() {
        begun();
    }

    /** The limits of an address that may hold now, for people. */
    String words(int from, Iterable<String> addresses) {
        StringBuilder words = new StringBuilder();
        for (Setting setting : settings.subList(from, settings.size())) {
            words.append("\n  ").append(setting.host());
            addresses.forEach(address -> words.append(", ").append(address).append(' ').append(setting.of(address)));
        }
        return words.toString();
    }

    // ---- what they allow

    /** Which limits are the oldest that may hold now. */
    int oldest() {
        return oldest;
    }

    int end() {
        return settings.size();
    }

    private boolean any(int from, int end, Predicate<Setting> condition) {
        for (int i = from; i < Math.min(end, settings.size()); i++) {
            if (condition.test(settings.get(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the broker may have refused what takes so much in each of these addresses, by the limits since then.
     *
     * @param copies how many times as much it takes in the virtual host
     */
    boolean mayRefuse(int from, Iterable<String> addresses, long bytes, long messages, long copies) {
        return any(from, settings.size(), setting -> {
            if (mayRefuse(setting.host(), bytes * copies, messages * copies)) {
                return true;
            }
            for (String address : addresses) {
                // An exchange counts an entry for each further queue.
                boolean shared = address.equals(Ledger.EXCHANGE) || address.equals(Ledger.TEMPORARY_EXCHANGE);
                long entries = shared ? messages * (copies - 1) * Message.ENTRY_BYTES : 0;
                if (mayRefuse(setting.of(address), bytes + entries, messages)) {
                    return true;
                }
            }
            return false;
        });
    }

    private static boolean mayRefuse(AddressLimits limits, long bytes, long messages) {
        long mostBytes = GateView.mostBytes(limits);
        long mostMessages = GateView.mostMessages(limits);
        if (mostBytes == Allowance.UNLIMITED && mostMessages == Allowance.UNLIMITED) {
            return false;
        }
        return switch (limits.policy()) {
            case FAIL -> true;
            case BLOCK, PAGE -> limits.holdLimitNanos() != AddressLimits.NONE || bytes > mostBytes
                    || messages > mostMessages;
            case DROP, RING -> false;
        };
    }

    /** Whether the broker may have dropped what came to these addresses, by the limits between then and then. */
    boolean mayDrop(int from, int end, Iterable<String> addresses) {
        return any(from, end, setting -> {
            if (drops(setting.host())) {
                return true;
            }
            for (String address : addresses) {
                if (drops(setting.of(address))) {
                    return true;
                }
            }
            return false;
        });
    }

    private static boolean drops(AddressLimits limits) {
        return limits.policy() == FullPolicy.DROP;
    }

    /** Whether messages may be on their way to an address for which nobody has reserved room: there is, or was, no limit. */
    boolean mayBeUnreserved(String address) {
        return any(oldest, settings.size(), setting -> {
            AddressLimits limits = address.equals(HOST) ? setting.host() : setting.of(address);
            return limits.policy() == FullPolicy.RING
                    || GateView.mostBytes(limits) == Allowance.UNLIMITED
                            && GateView.mostMessages(limits) == Allowance.UNLIMITED;
        });
    }

    /** Whether messages of an address may have had to make room for others, by the limits since then. */
    boolean mayMakeRoom(int from, String address) {
        return any(from, settings.size(), setting -> setting.of(address).policy() == FullPolicy.RING);
    }
}
