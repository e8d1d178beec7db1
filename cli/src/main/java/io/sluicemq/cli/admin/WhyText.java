package io.sluicemq.cli.admin;

import io.sluicemq.broker.engine.Shortage;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says in sentences who waits, for what, and who could make room; before that, if everybody does. Stateless but for the lines at hand. */
public final class WhyText {

    /** So many of those who wait for an address, of its queues, and of the consumers of each are named. */
    private static final int NAMED = 20;

    private final List<String> lines = new ArrayList<>();

    private WhyText() {}

    /** @param subject what was asked about; null for all */
    public static List<String> lines(AddressAnswer answer, String subject) {
        WhyText text = new WhyText();
        Shortage shortage = answer.shortage();
        if (shortage != null) {
            text.lines.add("Whoever publishes waits, wherever to, for " + Units.millis(shortage.sinceMillis())
                    + " now: " + shortage.reason());
        }
        if (answer.addresses().isEmpty()) {
            text.lines.add(subject == null
                    ? shortage == null ? "Nobody waits, and no address is full." : "No address is full."
                    : "There is no address '" + subject + "', and no connection with that in its name waits.");
        }
        for (AddressState state : answer.addresses()) {
            if (!text.lines.isEmpty()) {
                text.lines.add("");
            }
            text.address(state);
        }
        if (answer.leftOff() > 0) {
            text.lines.add("");
            text.lines.add("… and " + answer.leftOff() + " more");
        }
        return text.lines.stream().map(Printable::text).toList();
    }

    /**
     * What somebody waits for who publishes, in a phrase: {@code queue orders is full: 20 of 20 messages, policy block}. Empty if nothing is
     * full.
     *
     * @param address the one that is published to; null if only the virtual host is known
     */
    public static String full(AddressAnswer answer, String virtualHost, String address) {
        if (answer.shortage() != null) {
            return answer.shortage().reason();
        }
        return answer.addresses().stream()
                .filter(state -> state.kind().equals("virtual host")
                        ? state.address().equals(virtualHost)
                        : state.virtualHost().equals(virtualHost)
                                && (address == null || state.address().equals(address)))
                .filter(state -> !state.waiting().isEmpty())
                .findFirst()
                .map(state -> state.kind() + " " + state.address() + " is full: " + limited(state) + ", policy "
                        + policy(state.limits()))
                .orElse("");
    }

    private static String limited(AddressState state) {
        AddressLimits limits = state.limits();
        boolean byMessages = limits.policy() != FullPolicy.PAGE && limits.maxMessages() != AddressLimits.NONE;
        boolean byBytes = limits.policy() != FullPolicy.PAGE && limits.maxBytes() != AddressLimits.NONE;
        String messages = state.usedMessages() + " of " + Units.count(limits.maxMessages(), "message");
        String bytes = Units.bytes(state.usedBytes()) + " of " + Units.bytes(limits.maxBytes());
        return byMessages && byBytes
                ? bytes + ", " + messages
                : byMessages ? messages : byBytes ? bytes : used(state);
    }

    private void address(AddressState state) {
        int waiting = state.waiting().size();
        String who = waiting == 0 ? "nobody waits" : waiting == 1 ? "1 producer waits" : waiting + " producers wait";
        String where = state.kind().equals("virtual host") ? "" : " in virtual host " + state.virtualHost();
        lines.add(state.kind() + " " + state.address() + where + ": " + who);
        lines.add("  holds " + used(state) + "; policy " + policy(state.limits()));
        if (state.creditMessages() > 0) {
            lines.add("  " + Units.count(state.creditMessages(), "message") + " and " + Units.bytes(state.creditBytes())
                    + " of that are reserved for producers with credit");
        }
        lost(state);
        state.waiting().stream().limit(NAMED).forEach(this::producer);
        more(waiting, "producer");
        if (waiting > 0) {
            makers(state.queues());
        } else if (state.queues().stream().anyMatch(queue -> queue.consumerRule() != null)) {
            lines.add("  consumers, and how near they are to what the configuration calls too slow:");
            state.queues().stream().limit(NAMED).forEach(this::queue);
        }
    }

    private static String policy(AddressLimits limits) {
        return limits.policy().name().toLowerCase(Locale.ROOT);
    }

    /** {@code 10.0 MiB of 10.0 MiB, 97 messages}. With the policy page limits may be of what is in memory. */
    private static String used(AddressState state) {
        AddressLimits limits = state.limits();
        boolean pages = limits.policy() == FullPolicy.PAGE;
        long most = pages ? limits.pageLimitBytes() : limits.maxBytes();
        String bytes = Units.bytes(state.usedBytes()) + (most == AddressLimits.NONE ? "" : " of " + Units.bytes(most));
        String messages = pages || limits.maxMessages() == AddressLimits.NONE
                ? Units.count(state.usedMessages(), "message")
                : state.usedMessages() + " of " + Units.count(limits.maxMessages(), "message");
        return bytes + ", " + messages + (pages ? inMemory(limits) : "");
    }

    private static String inMemory(AddressLimits limits) {
        List<String> most = new ArrayList<>();
        if (limits.maxBytes() != AddressLimits.NONE) {
            most.add(Units.bytes(limits.maxBytes()));
        }
        if (limits.maxMessages() != AddressLimits.NONE) {
            most.add(Units.count(limits.maxMessages(), "message"));
        }
        return most.isEmpty() ? "" : ", in memory at most " + String.join(" and ", most);
    }

    private void lost(AddressState state) {
        if (state.droppedMessages() > 0) {
            lines.add("  " + Units.count(state.droppedMessages(), "message") + " dropped so far");
        }
        if (state.refusedMessages() > 0) {
            lines.add("  " + Units.count(state.refusedMessages(), "message") + " refused so far");
        }
    }

    private void producer(AddressState.Waiting waiting) {
        lines.add("  " + waiting.position() + ". " + waiting.producer() + " of " + waiting.connection() + " has waited "
                + Units.millis(waiting.waitingMillis()) + " for " + waiting.limit()
                + (waiting.parkedMessages() == 0
                        ? ""
                        : ", with " + Units.count(waiting.parkedMessages(), "message")
                                + ", " + Units.bytes(waiting.parkedBytes())));
    }

    private void makers(List<AddressState.QueueState> queues) {
        if (queues.isEmpty()) {
            lines.add("  no queue holds its messages: room comes as soon as those under way are done");
            return;
        }
        lines.add("  who could make room:");
        queues.stream().limit(NAMED).forEach(this::queue);
        more(queues.size(), "queue");
    }

    private void queue(AddressState.QueueState queue) {
        lines.add("    queue " + queue.name() + ": " + queue.readyMessages() + " ready, "
                + (queue.delayedMessages() == 0 ? "" : queue.delayedMessages() + " delayed, ")
                + queue.unsettledMessages() + " unacknowledged"
                + (queue.consumers().isEmpty() ? ", and no consumer" : "")
                + (queue.paused() ? "; an operator has paused it, so nobody is given any" : ""));
        for (AddressState.ConsumerState consumer : queue.consumers().stream().limit(NAMED).toList()) {
            lines.add("      consumer " + consumer.tag() + " of " + consumer.connection() + ": "
                    + consumer.unsettledMessages() + " unacknowledged, acknowledges "
                    + String.format(Locale.ROOT, "%.1f", consumer.settledPerSecond()) + " a second");
            if (queue.consumerRule() != null && consumer.measure() != null) {
                lines.add("        " + nearness(queue.consumerRule(), consumer.measure()));
            }
        }
        more(queue.consumers().size(), "consumer");
    }

    /** {@code message-count 12 of 50, message-age 1.2 s of 10 min 0 s: not too slow}. */
    private static String nearness(ConsumerRule rule, AddressState.ConsumerMeasure measure) {
        List<String> parts = new ArrayList<>();
        if (rule.maxMessages() != ConsumerRule.NONE) {
            parts.add("message-count " + measure.messages() + " of " + rule.maxMessages());
        }
        if (rule.maxBytes() != ConsumerRule.NONE) {
            parts.add("depth " + Units.bytes(measure.bytes()) + " of " + Units.bytes(rule.maxBytes()));
        }
        if (rule.maxAgeMillis() != ConsumerRule.NONE) {
            parts.add("message-age " + Units.millis(measure.oldestMillis()) + " of "
                    + Units.millis(rule.maxAgeMillis()));
        }
        if (rule.minPerSecond() != ConsumerRule.NONE) {
            parts.add("rate "
                    + (measure.perSecond() < 0 ? "?" : String.format(Locale.ROOT, "%.1f", measure.perSecond()))
                    + ", at least " + rule.minPerSecond() + " a second");
        }
        return String.join(", ", parts) + (measure.slowMillis() < 0
                ? ": not too slow"
                : ": too slow for " + Units.millis(measure.slowMillis()) + " (policy "
                        + rule.policy().name().toLowerCase(Locale.ROOT) + ")");
    }

    private void more(int count, String what) {
        if (count > NAMED) {
            lines.add("  … and " + Units.count(count - NAMED, "more " + what));
        }
    }
}
