package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.Client.ReplyAddress;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.Target;

/**
 * The anonymous relay: a link without an address, each of whose messages names its own ({@code to}). Owned by the client's loop. It
 * remembers where the addresses in use lead, no more than {@value #REMEMBERED} of them.
 */
@LoopOwned
public final class Relay implements TargetNode {

    private static final int REMEMBERED = 1_000;

    private final String linkName;
    private final Target answer;
    private final Destinations destinations;
    private final Map<String, Map<NodeKind, Destination>> known =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Map<NodeKind, Destination>> eldest) {
                    return size() > REMEMBERED;
                }
            };

    /** Messages whose address is being looked up, in their order, by address and kind. */
    private final Map<Asked, List<Answer<Destination>>> waiting = new HashMap<>();

    private record Asked(String to, NodeKind kind) {}

    Relay(String linkName, Target answer, Destinations destinations) {
        this.linkName = linkName;
        this.answer = answer;
        this.destinations = destinations;
    }

    @Override
    public String linkName() {
        return linkName;
    }

    @Override
    public Target answer() {
        return answer;
    }

    /** Where an address leads, if that is known; else null, and {@link #resolve} is to be asked. Allocates nothing. */
    public Destination known(String to, NodeKind kind) {
        Map<NodeKind, Destination> byKind = known.get(to);
        Destination destination = byKind == null ? null : byKind.get(kind);
        if (destination != null && !waiting.isEmpty() && waiting.containsKey(new Asked(to, kind))) {
            return null;
        }
        boolean outdated = destination != null
                && destination.exchange().equals(Address.DEFAULT_TOPICS)
                && destinations.exists(destination.routingKey());
        return outdated ? null : destination;
    }

    /**
     * Finds where an address leads. A queue that isn't there is made, as at an attach. Questions about one address and kind are
     * answered in their order, and {@link #known} says nothing of it before.
     *
     * @param to may be null, which is refused with {@code amqp:precondition-failed}
     * @param kind what the message says of it
     */
    public void resolve(String to, NodeKind kind, Answer<Destination> reply) {
        if (to == null || to.isEmpty()) {
            reply.refused(TerminusError.withoutTo());
            return;
        }
        Asked asked = new Asked(to, kind);
        List<Answer<Destination>> others = waiting.get(asked);
        if (others != null) {
            others.add(reply);
            return;
        }
        List<Answer<Destination>> all = new ArrayList<>(List.of(reply));
        waiting.put(asked, all);
        destinations.resolve(to, kind, new Answer<>() {
            @Override
            public void done(Destination destination) {
                waiting.remove(asked);
                // Whether somebody still waits at an address for replies shows only by asking.
                if (!to.startsWith(ReplyAddress.PREFIX)) {
                    known.computeIfAbsent(to, key -> new EnumMap<>(NodeKind.class)).put(kind, destination);
                }
                all.forEach(each -> each.done(destination));
            }

            @Override
            public void refused(TerminusError error) {
                waiting.remove(asked);
                all.forEach(each -> each.refused(error));
            }
        });
    }

    /** A message for an address has reached nothing: what was known of it is not true any more. */
    public void missed(String to) {
        known.remove(to);
    }
}
