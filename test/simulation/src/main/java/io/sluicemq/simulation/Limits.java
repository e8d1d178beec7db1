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

    /** Limits, and rules about consumers, that were asked for together. */
    private record Setting(AddressSettings addresses, AddressLimits host) {

        /** Those that are configured. */
        AddressLimits of(String address) {
            return addresses.limitsOf(address);
        }

        /** Whether a queue has a rule about its consumers of that policy. */
        boolean has(ConsumerPolicy policy, String queue) {
            ConsumerRule rule = addresses.consumerRuleByName(queue);
            return rule != null && rule.policy() == policy;
        }

        /** Whether its oldest messages may make room for others. */
        boolean rings(String address) {
            return of(address).policy() == FullPolicy.RING || has(ConsumerPolicy.CYCLE, address);
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
                rules.add(rule(random, queue, random.nextBoolean() ? consumers(random) : null));
            }
        }
        if (exchanges && random.nextBoolean()) {
            rules.add(rule(random, Ledger.EXCHANGE, null));
        }
        if (exchanges && random.nextInt(3) == 0) {
            rules.add(rule(random, Ledger.TEMPORARY_EXCHANGE, null));
        }
        if (random.nextInt(6) == 0) {
            rules.add(new Rule("#", null, null, null, oneOf(random, 0, 50, 100), null, null, null));
        }
        AddressLimits hosts = AddressLimits.UNLIMITED;
        if (host && random.nextInt(3) > 0) {
            hosts = new AddressSettings(List.of(rule(random, HOST, null))).limitsOf(HOST);
            hosts = new AddressLimits(
                    hosts.maxBytes() == AddressLimits.NONE ? AddressLimits.NONE : hosts.maxBytes() * 8,
                    hosts.maxMessages() == AddressLimits.NONE ? AddressLimits.NONE : hosts.maxMessages() * 4,
                    hosts.policy() == FullPolicy.RING ? FullPolicy.BLOCK : hosts.policy(), hosts.lowWaterPercent(),
                    hosts.pageLimitBytes(), hosts.holdLimitNanos(), false);
        }
        return new Setting(new AddressSettings(rules), hosts);
    }

    /** @param consumers what is said about its consumers; null for nothing */
    private static Rule rule(RandomGenerator random, String address, ConsumerRule consumers) {
        FullPolicy policy = policy(random, consumers == null ? ConsumerPolicy.NOTIFY : consumers.policy());
        boolean cycles = consumers != null && consumers.cycles();
        return new Rule(
                address, bytes(oneOf(random, 0, 700, 2000, 8000, 40_000)), bytes(oneOf(random, 0, 1, 3, 10, 40)),
                policy, random.nextBoolean() ? null : oneOf(random, 0, 50, 80, 100),
                policy == FullPolicy.PAGE && !cycles ? bytes(oneOf(random, 0, 4000, 30_000)) : null,
                random.nextInt(3) > 0 ? null : oneOf(random, 1, 50, 1000) * MILLI, null, null, null, null, consumers);
    }

    /** One that the configuration takes beside that of the consumers. */
    private static FullPolicy policy(RandomGenerator random, ConsumerPolicy consumers) {
        FullPolicy[] policies = switch (consumers) {
            case DELETE, NOTIFY ->
                new FullPolicy[] {FullPolicy.BLOCK, FullPolicy.BLOCK, FullPolicy.BLOCK, FullPolicy.PAGE,
                    FullPolicy.DROP, FullPolicy.FAIL, FullPolicy.RING};
            case FLOW -> new FullPolicy[] {FullPolicy.BLOCK, FullPolicy.PAGE, FullPolicy.PAGE};
            case CYCLE -> new FullPolicy[] {FullPolicy.PAGE, FullPolicy.RING};
        };
        return policies[random.nextInt(policies.length)];
    }

    /**
     * Periods are short, so that consumers are found in runs of a second. No queue is deleted by its rule, since none of them is
     * a transient subscription.
     */
    private static ConsumerRule consumers(RandomGenerator random) {
        ConsumerPolicy[] policies = {ConsumerPolicy.DELETE, ConsumerPolicy.DELETE, ConsumerPolicy.DELETE,
            ConsumerPolicy.NOTIFY, ConsumerPolicy.FLOW, ConsumerPolicy.FLOW, ConsumerPolicy.CYCLE};
        ConsumerPolicy policy = policies[random.nextInt(policies.length)];
        int messages = oneOf(random, -1, 1, 2, 5);
        int bytes = oneOf(random, -1, -1, 500, 2000);
        if (messages < 0 && bytes < 0 && policy == ConsumerPolicy.CYCLE) {
            messages = 10;
        }
        int age = oneOf(random, -1, -1, 5, 100);
        boolean none = messages < 0 && bytes < 0 && age < 0;
        return new ConsumerRule(
                bytes, messages, age, none ? oneOf(random, 1, 100, 1000) : oneOf(random, -1, -1, 100),
                oneOf(random, 1, 2, 5, 50) * MILLI, policy, false, Cut.CHANNEL);
    }

    private static Long bytes(int value) {
        return value == 0 ? null : Long.valueOf(value);
    }

    private static int oneOf(RandomGenerator random, int... values) {
        return Plan.oneOf(random, values);
    }

    /** The queues with a rule about their consumers, by the latest setting. */
    List<String> ruled() {
        return Ledger.QUEUES.stream()
                .filter(queue -> latest().addresses().consumerRuleByName(queue) != null)
                .toList();
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
                boolean mayBeHeld = setting.has(ConsumerPolicy.FLOW, address);
                if (mayBeHeld && setting.of(address).holdLimitNanos() != AddressLimits.NONE) {
                    return true;
                }
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
            return setting.rings(address)
                    || GateView.mostBytes(limits) == Allowance.UNLIMITED
                            && GateView.mostMessages(limits) == Allowance.UNLIMITED;
        });
    }

    /** Whether messages of an address may have had to make room for others, by the limits since then. */
    boolean mayMakeRoom(int from, String address) {
        return any(from, settings.size(), setting -> setting.rings(address));
    }

    /** Whether that may be since a rule about consumers says so: which a start tells the queue of when it is there already. */
    boolean mayCycle(int from, String queue) {
        return any(from, settings.size(), setting -> setting.has(ConsumerPolicy.CYCLE, queue));
    }

    /** Whether producers of a queue may be held for a while by a rule about its consumers, whatever its own limits are. */
    boolean mayBeHeld(String queue) {
        return any(oldest, settings.size(), setting -> setting.has(ConsumerPolicy.FLOW, queue));
    }
}
