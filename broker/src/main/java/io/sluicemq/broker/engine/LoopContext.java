package io.sluicemq.broker.engine;

import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.routing.HeaderSource;
import io.sluicemq.broker.routing.RouteSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the engine keeps for one loop: its numbers, its clients, work space for routing, and how far other loops are behind
 * with what it has sent them.
 *
 * <p>Publishes to queues of another loop are counted in bytes until that loop has taken them. While more than {@link
 * #MOST_OWED_BYTES} are under way, publishers on this loop wait, so that no loop can be buried by another.
 */
@LoopOwned
final class LoopContext {

    static final long MOST_OWED_BYTES = 8L << 20;
    private static final long RESUME_OWED_BYTES = 2L << 20;
    private static final long REPORTED_BYTES = 64L << 10;
    private static final long LEAST_SHARE_BYTES = 4096;

    final Loop loop;
    final Tally tally = new Tally();
    final Set<ConnectedClient> clients = new LinkedHashSet<>();
    /** Those that live on this loop, of all virtual hosts; a queue has its identity for equality. */
    final Set<Queue> queues = new HashSet<>();

    final Map<String, ReplyTarget> replyTargets = new HashMap<>();
    final RouteSet<QueueProxy> routes = new RouteSet<>();
    final HeadersOf headers = new HeadersOf();
    /** Whether the clients here have been told that publishers must wait. */
    boolean resourcesLow;

    private final MemoryBudget memory;
    /** By loop: bytes of publishes sent there and not yet taken. */
    private final long[] owed;
    /** By loop: bytes of publishes taken from there and not yet reported back. */
    private final long[] taken;

    private final List<Runnable> waiting = new ArrayList<>();
    private boolean reportPlanned;
    private long unreportedBytes;

    LoopContext(Loop loop, int loops, MemoryBudget memory) {
        this.loop = loop;
        this.memory = memory;
        this.owed = new long[loops];
        this.taken = new long[loops];
    }

    /** Message bytes were taken up, or given back if negative. */
    void messageBytes(long difference) {
        tally.messageBytes += difference;
        unreportedBytes += difference;
        if (Math.abs(unreportedBytes) >= REPORTED_BYTES) {
            long report = unreportedBytes;
            unreportedBytes = 0;
            memory.changed(loop, report);
        }
    }

    /** What each client here may hold outside of queues: together an eighth of the budget for messages. */
    long fairShareBytes() {
        return Math.max(LEAST_SHARE_BYTES, memory.budgetBytes() / 8 / owed.length / Math.max(1, clients.size()));
    }

    /** A publish of {@code bytes} is on its way to {@code target}. */
    void owes(LoopContext target, int bytes) {
        owed[target.loop.index()] += bytes;
    }

    /** A publish of {@code bytes} from {@code source} has been taken. */
    void took(LoopContext source, int bytes) {
        taken[source.loop.index()] += bytes;
        if (!reportPlanned) {
            reportPlanned = true;
            loop.atTurnEnd(this::reportTaken);
        }
    }

    private void reportTaken() {
        reportPlanned = false;
        for (int i = 0; i < taken.length; i++) {
            long bytes = taken[i];
            if (bytes > 0) {
                taken[i] = 0;
                LoopContext source = memory.context(i);
                loop.send(source.loop, () -> source.settleOwed(loop.index(), bytes));
            }
        }
    }

    private void settleOwed(int target, long bytes) {
        owed[target] -= bytes;
        if (!waiting.isEmpty() && !owesMoreThan(RESUME_OWED_BYTES)) {
            List<Runnable> resumed = List.copyOf(waiting);
            waiting.clear();
            resumed.forEach(Runnable::run);
        }
    }

    /** Whether a loop is so far behind that publishers here must wait; then {@code resume} is run when it has caught up. */
    boolean congested(Runnable resume) {
        if (!owesMoreThan(MOST_OWED_BYTES)) {
            return false;
        }
        waiting.add(resume);
        return true;
    }

    private boolean owesMoreThan(long bytes) {
        for (long each : owed) {
            if (each > bytes) {
                return true;
            }
        }
        return false;
    }

    /** The headers of the message at hand, decoded only if an exchange asks. */
    static final class HeadersOf implements HeaderSource {

        private Message message;
        private Map<String, Object> decoded;

        HeadersOf of(Message message) {
            this.message = message;
            this.decoded = null;
            return this;
        }

        @Override
        public Map<String, Object> headers() {
            if (decoded == null) {
                decoded = message.headers();
            }
            return decoded;
        }
    }
}
