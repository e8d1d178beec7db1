package io.sluicemq.broker.engine;

import io.sluicemq.api.Answers;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.Event;
import io.sluicemq.api.operate.Rates;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.Traffic;
import io.sluicemq.broker.routing.HeaderSource;
import io.sluicemq.broker.routing.RouteSet;
import io.sluicemq.store.LogState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final long LEAST_RESIDENT_BYTES = 16L << 10;
    private static final long MOST_RESIDENT_BYTES = 4L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(LoopContext.class);

    private final LogLimit droppedLines = new LogLimit(TimeUnit.SECONDS.toNanos(30));
    final Loop loop;
    final Tally tally = new Tally();
    /** What passes through its queues, for people. */
    private final Traffic traffic;
    /** What has happened of late. */
    final EventRing events;
    final Credits credits = new Credits();
    /** Of what is told of users who may not do what they want. */
    final Audit refusals = new Audit(LogEvent.ACCESS_REFUSED, "access");
    /** Producers that wait for room. */
    final Holds holds = new Holds();
    /** What publishers are owed. */
    final Answers answers;
    /** What the clients of each protocol have, by its name. */
    final Map<String, ProtocolTally> protocols = new HashMap<>();
    /** Of what is told of users and virtual hosts that have as much as they may. */
    final Audit limits = new Audit(LogEvent.USER_LIMIT_REACHED, "by a limit");
    /** What is to be looked at again and again. */
    final Housekeeping housekeeping;
    /** Of what is told of slow consumers. */
    private final SlowConsumerLog slowConsumers;
    final Set<ConnectedClient> clients = new LinkedHashSet<>();
    /** Those that live on this loop, of all virtual hosts, the oldest first; a queue has its identity for equality. */
    final Set<Queue> queues = new LinkedHashSet<>();

    final Map<String, ReplyTarget> replyTargets = new HashMap<>();
    final RouteSet<QueueProxy> routes = new RouteSet<>();
    final HeadersOf headers = new HeadersOf();
    /** All of them by their number, if there is a log. */
    final Map<Long, Queue> queuesById = new HashMap<>();
    /** Those of them that have more in memory than they should. */
    final PageOuts pageOuts;
    /** Whether messages take more than half of the memory that they may. */
    boolean memoryTight;
    /** Whether messages take too much memory, so that queues let go of them. */
    boolean memoryLow;
    /** Whether they do even without the large ones, so that publishers wait. */
    private boolean memoryHolds;
    /** Why the log takes no messages; empty while it does. */
    private String logRefusal = "";

    private boolean isShort;
    private long shortSinceNanos;
    /** For how long publishers had to wait, without what they do now. */
    private long shortNanos;
    /** The loop's access to the log; null if the broker keeps everything in memory. Set once, before the loop has work. */
    private Journal journal;
    /** Publishes that wait for room in the log, in their order. */
    private final ArrayDeque<Parked> parked = new ArrayDeque<>();
    /** Queues in memory that those reach, too, and how many of them. */
    private final Map<QueueProxy, Integer> parkedFor = new HashMap<>();
    private boolean stillNoRoom;
    private final List<Runnable> afterParked = new ArrayList<>();
    /** How many loops' marks of the checkpoint at hand have come. */
    int checkpointMarks;
    /** Told when there is room in the log, before publishers. */
    private final List<Runnable> firstInRoom = new ArrayList<>();

    /** How many queues' messages are leaving the log, and what waits for that. */
    private int discarding;

    private final List<Runnable> afterDiscarding = new ArrayList<>();
    private final MemoryBudget memory;
    /** By loop: bytes of publishes sent there and not yet taken. */
    private final long[] owed;
    /** By loop: bytes of publishes taken from there and not yet reported back. */
    private final long[] taken;

    private final List<Runnable> waiting = new ArrayList<>();
    private boolean reportPlanned;
    private long unreportedBytes;
    private long unreportedOfLarge;

    private final Witness witness;

    /** What waits for room in the log, and the queues it will reach. */
    private record Parked(Runnable publish, Collection<QueueProxy> targets) {}

    /** @param witness what answers wait for beside the log; null for nothing */
    LoopContext(Loop loop, int loops, MemoryBudget memory, Witness witness) {
        this.loop = loop;
        this.traffic = new Traffic(loop.nanoTime());
        this.events = new EventRing(loop);
        this.answers = new Answers(loop);
        this.pageOuts = new PageOuts(loop);
        this.housekeeping = new Housekeeping(loop, tally);
        this.slowConsumers = new SlowConsumerLog(loop, events);
        this.memory = memory;
        this.witness = witness;
        this.owed = new long[loops];
        this.taken = new long[loops];
    }

    // ---- for operators

    /** What was published and delivered here, and how fast. */
    Rates rates() {
        traffic.sums(tally.published, tally.delivered, tally.acknowledged);
        return traffic.look(loop.nanoTime());
    }

    /** What clients of a protocol have here. */
    ProtocolTally protocol(String name) {
        return protocols.computeIfAbsent(name, key -> new ProtocolTally());
    }

    /** Has the client of that name close, which is told the reason; false if it is not here. */
    boolean forceClose(String name, Actor actor, String reason) {
        for (ConnectedClient client : clients) {
            if (client.isOf(name)) {
                events.add(
                        Event.Kind.CONNECTION_FORCED, client.virtualHost(), name,
                        actor.user().name() + " (" + actor.peer() + ") closes it: " + reason);
                client.requestClose(reason);
                return true;
            }
        }
        return false;
    }

    /** Tells people of slow consumers. */
    SlowConsumerLog slowConsumers() {
        return slowConsumers;
    }

    boolean hasWitness() {
        return witness != null;
    }

    /** Has the witness, if there is one, look at a command. Of any loop's context, as it doesn't change. */
    void witness(Witness.Command command, Completion completion) {
        if (witness != null) {
            witness.command(command, completion);
        }
    }

    // ---- the log

    void journal(Journal access) {
        journal = access;
    }

    /** The loop's access to the log; null if there is none. */
    Journal journal() {
        return journal;
    }

    /** Has {@code task} run whenever there may be room in the log again. */
    void firstInRoom(Runnable task) {
        firstInRoom.add(task);
    }

    /** Whether publishes wait for room in the log. */
    boolean isParking() {
        return !parked.isEmpty();
    }

    /** Whether a publish must wait behind others that do: one to a queue in the log, or to one that those reach as well. */
    boolean isParkingFor(Route route) {
        if (parked.isEmpty()) {
            return false;
        }
        if (route.isLogged()) {
            return true;
        }
        if (!parkedFor.isEmpty()) {
            for (QueueProxy target : route.targets()) {
                if (parkedFor.containsKey(target)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Has a publish done when there is room in the log; one that finds none says so by {@link #stillNoRoom}.
     *
     * @param targets the queues it will reach
     */
    void park(Runnable publish, Collection<QueueProxy> targets) {
        parked.addLast(new Parked(publish, targets));
        for (QueueProxy target : targets) {
            if (!target.queue().isLogged()) {
                parkedFor.merge(target, 1, Integer::sum);
            }
        }
    }

    /** The publish at hand has found no room: it stays the first of those that wait. */
    void stillNoRoom() {
        stillNoRoom = true;
    }

    /** There may be room in the log. */
    void room() {
        firstInRoom.forEach(Runnable::run);
        stillNoRoom = false;
        while (!parked.isEmpty() && !stillNoRoom) {
            Parked next = parked.pollFirst();
            next.publish.run();
            if (stillNoRoom) {
                parked.addFirst(next);
            } else {
                next.targets.forEach(target -> parkedFor.computeIfPresent(
                        target, (queue, count) -> count == 1 ? null : count - 1));
            }
        }
        if (parked.isEmpty() && !afterParked.isEmpty()) {
            List<Runnable> tasks = List.copyOf(afterParked);
            afterParked.clear();
            tasks.forEach(Runnable::run);
        }
        pageOuts.room();
        resumeWaiting();
    }

    /** Runs {@code task} when no publish waits for room in the log any more. */
    void afterParked(Runnable task) {
        if (parked.isEmpty()) {
            task.run();
        } else {
            afterParked.add(task);
        }
    }

    /** What the log takes has changed. */
    void logState(LogState state) {
        logRefusal = state.kind() == LogState.Kind.OPEN ? "" : state.reason();
        tellClients();
        if (state.isFinal()) {
            room(); // there never will be any: what can't do without is told so
        }
        // Who waits for the disk to catch up is held by that shortage from now on, which lets acknowledgements pass.
        resumeWaiting();
    }

    /** Messages take too much memory, or no more; and they do so without the large ones, or no more. */
    void memory(boolean low, boolean holds) {
        if (memoryHolds != holds) {
            memoryHolds = holds;
            tellClients();
        }
        if (memoryLow != low) {
            memoryLow = low;
            // As an event of its own: it may be a queue that has just counted what it does, and is in the middle of it.
            loop.execute(this::tellQueues);
        }
    }

    private void tellQueues() {
        if (memoryLow) {
            pageOuts.addLargestFirst(queues);
        } else {
            for (Queue queue : queues.toArray(Queue[]::new)) {
                queue.memoryRecovered();
            }
        }
    }

    private void tellClients() {
        String reason = shortage();
        if (reason != null && !isShort) {
            shortSinceNanos = loop.nanoTime();
        } else if (reason == null && isShort) {
            shortNanos += loop.nanoTime() - shortSinceNanos;
        }
        if (loop.index() == 0 && isShort != (reason != null)) { // all are told the same
            events.add(
                    Event.Kind.SHORTAGE, "", "",
                    reason == null ? "publishers need not wait any more" : "all publishers wait: " + reason);
        }
        isShort = reason != null;
        for (ConnectedClient client : clients.toArray(ConnectedClient[]::new)) {
            client.resources(reason);
        }
        if (reason == null) {
            credits.resourcesRecovered();
        }
    }

    /** Why publishers must wait; null if they need not. */
    String shortage() {
        if (!logRefusal.isEmpty()) {
            return logRefusal;
        }
        return memoryHolds ? memory.reason() : null;
    }

    /** The same with since when; null if publishers need not wait. */
    Shortage shortageNow() {
        return isShort
                ? new Shortage(shortage(), TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - shortSinceNanos))
                : null;
    }

    /** For how long in all publishers had to wait for memory or the disk so far. */
    long shortNanos() {
        return shortNanos + (isShort ? loop.nanoTime() - shortSinceNanos : 0);
    }

    /** Bytes of ready messages that each queue here may keep in memory before others wait in the log. */
    long residentBytes() {
        return Math.clamp(quarterShareBytes(), LEAST_RESIDENT_BYTES, MOST_RESIDENT_BYTES);
    }

    /** Bytes of ready messages that each queue here may keep while memory is short: all of them together leave some of it free. */
    long keptBytes() {
        return Math.min(quarterShareBytes(), MOST_RESIDENT_BYTES);
    }

    private long quarterShareBytes() {
        return memory.budgetBytes() / 4 / owed.length / Math.max(1, queues.size());
    }

    // ---- messages that leave the log a part of them a turn

    void discardingBegins() {
        discarding++;
    }

    void discardingEnds() {
        if (--discarding == 0) {
            List<Runnable> tasks = List.copyOf(afterDiscarding);
            afterDiscarding.clear();
            tasks.forEach(Runnable::run);
        }
    }

    /** Runs {@code task} when the removals of all that queues here have let go of are with the journal; at once, if they are. */
    void afterDiscarding(Runnable task) {
        if (discarding == 0) {
            task.run();
        } else {
            afterDiscarding.add(task);
        }
    }

    /** A connection was lost while messages of it waited for room; nobody was told that they were safe. */
    void logDropped(ConnectedClient client, int messages) {
        long times = droppedLines.take(loop.nanoTime());
        if (times > 0) {
            LogEvent.WAITING_MESSAGES_DROPPED.log(LOG,
                    "{} has gone while {} of its messages waited for room: they are dropped{}", client, messages,
                    times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)");
        }
    }

    // ---- memory, and other loops

    /** Message bytes were taken up, or given back if negative, none of them by a large message. */
    void messageBytes(long difference) {
        messageBytes(difference, 0);
    }

    /** A message of so many bytes is held once more. */
    void messageHeld(long bytes) {
        messageBytes(bytes, MemoryBudget.ofLarge(bytes));
    }

    /** What {@link #messageHeld} has counted is over. */
    void messageLeft(long bytes) {
        messageBytes(-bytes, -MemoryBudget.ofLarge(bytes));
    }

    /** Message bytes were taken up, or given back if negative; {@code ofLarge} of them by large messages. */
    void messageBytes(long difference, long ofLarge) {
        tally.messageBytes += difference;
        unreportedBytes += difference;
        unreportedOfLarge += ofLarge;
        if (Math.abs(unreportedBytes) >= REPORTED_BYTES || Math.abs(unreportedOfLarge) >= REPORTED_BYTES) {
            long report = unreportedBytes;
            long reportOfLarge = unreportedOfLarge;
            unreportedBytes = 0;
            unreportedOfLarge = 0;
            memory.changed(loop, report, reportOfLarge);
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
        resumeWaiting();
    }

    private void resumeWaiting() {
        if (!waiting.isEmpty() && !parksForMoment() && !owesMoreThan(RESUME_OWED_BYTES)) {
            List<Runnable> resumed = List.copyOf(waiting);
            waiting.clear();
            resumed.forEach(Runnable::run);
        }
    }

    /** Whether a loop is so far behind that publishers here must wait; then {@code resume} is run when it has caught up. */
    boolean congested(Runnable resume) {
        if (!parksForMoment() && !owesMoreThan(MOST_OWED_BYTES)) {
            return false;
        }
        waiting.add(resume);
        return true;
    }

    /** Whether the disk is behind. While it is full or has failed publishers are {@linkplain #shortage held} otherwise. */
    private boolean parksForMoment() {
        return !parked.isEmpty() && logRefusal.isEmpty();
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
