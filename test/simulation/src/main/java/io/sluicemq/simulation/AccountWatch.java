package io.sluicemq.simulation;

import io.sluicemq.base.Allowance;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.engine.EngineView;
import io.sluicemq.broker.engine.EngineView.Waiting;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.flow.GateView;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.broker.queue.Queue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks after each step at the accounts of one life of the broker: no limit is exceeded, what is counted is what is there, and
 * nobody waits in vain. Looks between turns and changes nothing.
 */
final class AccountWatch {

    private final Machine machine;
    private final Ledger ledger;
    private final Limits limits;
    private final Statistics statistics;
    private final EngineView view;
    private final Map<Account, Seen> seen = new IdentityHashMap<>();
    private long looks;

    /** An account when it was looked at last. */
    private static final class Seen {
        private AddressLimits limits;
        private long bytes;
        private long messages;
        /** Whether something may be on its way that nobody has reserved room for, as there was no limit when it left. */
        private boolean mayGrow = true;
    }

    AccountWatch(Machine machine, Ledger ledger, Limits limits, Statistics statistics) {
        this.limits = limits;
        this.machine = machine;
        this.ledger = ledger;
        this.statistics = statistics;
        this.view = new EngineView(machine.engine);
    }

    BrokerCounters counters() {
        return view.counters();
    }

    /** What must hold whenever no turn runs. */
    void look() {
        boolean idle = !machine.isAnyLoopReady();
        boolean still = idle && !machine.workers.isReady() && !view.waitsForLog() && !lettersWaitForLog();
        for (Queue queue : view.queues()) {
            checkLimit(queue.account(), still);
        }
        view.exchanges().forEach(account -> checkLimit(account, still));
        if (view.virtualHost() != null) {
            checkLimit(view.virtualHost(), still);
        }
        if (idle) {
            checkGates();
            checkOrder();
        }
        if (still) {
            limits.settled();
            compare();
        }
    }

    /** Whether the policy is of no meaning for accounts of that kind. */
    private static boolean isUnlimited(Account account) {
        return account.kind() != Account.Kind.QUEUE && account.limits().policy() == FullPolicy.RING;
    }

    /** That an account never holds more than it may, or less than nothing. */
    private void checkLimit(Account account, boolean still) {
        long bytes = account.usedBytes();
        long messages = account.usedMessages();
        Broken.unless(bytes >= 0 && messages >= 0, "%s holds %d bytes and %d messages", account, bytes, messages);
        AddressLimits limits = account.limits();
        Seen before = seen.computeIfAbsent(account, key -> new Seen());
        // Not by what they say: producers may have been let go, and held anew, in one turn.
        boolean changed = limits != before.limits;
        before.mayGrow |= changed || mayBeUnreserved(account);
        boolean comparable = still || !reservesForRing(account);
        if (!changed && comparable && !isUnlimited(account)
                && (!before.mayGrow || limits.policy() == FullPolicy.RING)) {
            checkMost(account, "bytes", bytes, before.bytes, GateView.mostBytes(limits));
            checkMost(account, "messages", messages, before.messages, GateView.mostMessages(limits));
        }
        before.mayGrow &= !still;
        before.limits = limits;
        if (changed || comparable) {
            before.bytes = bytes;
            before.messages = messages;
        }
    }

    /**
     * Whether something may be on its way to it now that nobody has reserved room for. Of one whose producers may be held its own
     * limits tell, whatever the configured ones are.
     */
    private boolean mayBeUnreserved(Account account) {
        if (account.kind() == Account.Kind.QUEUE && limits.mayBeHeld(account.name())) {
            AddressLimits now = account.limits();
            boolean held = now.policy() == FullPolicy.BLOCK && !now.equals(account.lastingLimits());
            if (held) {
                statistics.heldForAConsumer();
                return false;
            }
        }
        return limits.mayBeUnreserved(account.name());
    }

    /** Whether its messages are counted as soon as they are on their way, but make room when they arrive. */
    private static boolean reservesForRing(Account account) {
        return account.limits().policy() == FullPolicy.RING && account.parent() != null;
    }

    private static void checkMost(Account account, String what, long now, long before, long limit) {
        Broken.unless(limit == Allowance.UNLIMITED || now <= limit || now <= before,
                "%s may hold %d %s, held %d and now holds %d; %s", account, limit, what, before, now,
                account.limits());
    }

    /** All accounts, those of queues with their queue. */
    private Map<Account, Queue> accounts() {
        Map<Account, Queue> all = new IdentityHashMap<>();
        view.queues().forEach(queue -> all.put(queue.account(), queue));
        view.exchanges().forEach(account -> all.put(account, null));
        if (view.virtualHost() != null) {
            all.put(view.virtualHost(), null);
        }
        return all;
    }

    private List<Ticket> tickets(Account account) {
        List<Ticket> tickets = new ArrayList<>();
        machine.loops.get(account.home().index()).run(() -> tickets.addAll(account.gate().tickets()));
        return tickets;
    }

    /** That whoever waits does so for a reason, and that what waits is counted. With idle loops only. */
    private void checkGates() {
        for (Map.Entry<Account, Queue> each : accounts().entrySet()) {
            Account account = each.getKey();
            List<Ticket> tickets = tickets(account);
            Broken.unless(account.isWaited() == !tickets.isEmpty(), "%s is kept free for %d who wait", account,
                    tickets.size());
            if (tickets.isEmpty()) {
                continue;
            }
            boolean drained = each.getValue() == null || each.getValue().ready() == 0;
            Broken.unless(GateView.reason(account, tickets, drained) != null,
                    "%s of %s waits in vain for room in %s, which holds %d bytes and %d messages, with %s",
                    tickets.getFirst().holder().producer(), tickets.getFirst().holder().connection(), account,
                    account.usedBytes(), account.usedMessages(), account.limits());
            for (Ticket ticket : tickets) {
                boolean forCredit = ticket.holder().producer().startsWith("credit of ");
                Broken.unless(ticket.holder().parkedMessages() > 0 != forCredit,
                        "%s of %s waits for %s with %d messages",
                        ticket.holder().producer(), ticket.holder().connection(), account,
                        ticket.holder().parkedMessages());
                if (forCredit) {
                    statistics.creditWaits();
                }
                if (GateView.isInternal(ticket)) {
                    statistics.lettersWait();
                }
            }
        }
    }

    /**
     * That whatever waits does so at one gate, of an account that it counts in; or behind what came before it from the same producer
     * to one of its queues; or stands aside for a moment. With idle loops only.
     */
    private void checkOrder() {
        Map<Ticket.Holder, Account> gates = gatesByHolder();
        long standing = 0;
        long messages = 0;
        long bytes = 0;
        for (Waiting each : view.waiting()) {
            messages += each.publishes();
            bytes += each.bytes();
            Account gate = gates.get(each.holder());
            Broken.unless(each.behind() == each.mustBeBehind(),
                    "%s of %s waits for %s %s something else, but should not", each.producer(), each.connection(),
                    each.queues(), each.behind() ? "behind" : "beside");
            if (gate != null) {
                standing++;
                Broken.unless(each.accounts().contains(gate) && !each.behind(),
                        "%s of %s waits for %s at the gate of %s", each.producer(), each.connection(), each.queues(),
                        gate);
            } else {
                Broken.unless(each.behind() || each.aside(), "%s of %s waits for %s at no gate, and behind nothing",
                        each.producer(), each.connection(), each.queues());
                statistics.stoodAside(each.aside() ? 1 : 0);
            }
        }
        Broken.unless(standing == gates.size(), "%d wait at gates, but only %d have something that waits",
                gates.size(), standing);
        BrokerCounters counters = view.counters();
        Broken.unless(messages == counters.parkedMessages() && bytes == counters.parkedBytes(),
                "%d messages of %d bytes wait, but the broker has counted %d of %d bytes", messages, bytes,
                counters.parkedMessages(), counters.parkedBytes());
    }

    private Map<Ticket.Holder, Account> gatesByHolder() {
        Map<Ticket.Holder, Account> gates = new IdentityHashMap<>();
        for (Account account : accounts().keySet()) {
            for (Ticket ticket : tickets(account)) {
                Account other = gates.put(ticket.holder(), account);
                Broken.unless(other == null, "%s of %s waits at the gates of %s and %s", ticket.holder().producer(),
                        ticket.holder().connection(), account, other);
            }
        }
        return gates;
    }

    /** What waits of a client's producer, in the order in which it came. */
    List<Waiting> waiting(String connection, String producer) {
        return view.waiting(connection).stream().filter(each -> each.producer().equals(producer)).toList();
    }

    /** That nobody keeps room that he does not use and that others wait for: when nothing has gone on for long. */
    void checkIdleCredit() {
        for (Account account : accounts().keySet()) {
            long[] credit = view.credit(account);
            Broken.unless(!account.isWaited() || credit[1] == 0,
                    "somebody waits for %s, in which there is credit for %d",
                    account, credit[1]);
            Broken.unless(account.creditLines() > 0 == (credit[1] > 0), "%s has %d credit lines, for %d messages",
                    account, account.creditLines(), credit[1]);
        }
    }

    /** That nobody stands aside who has had all the time to come back: when nothing has gone on for long. */
    void checkAside() {
        for (Waiting each : view.waiting()) {
            Broken.unless(!each.aside(), "%s of %s steps aside again and again, though nothing goes on;%s",
                    each.producer(), each.connection(), gates());
        }
    }

    /** How many dead letters of each queue wait for room in their addresses, by the words for that queue. */
    private Map<String, Long> letters() {
        Map<String, Long> letters = new HashMap<>();
        for (Waiting each : view.waiting()) {
            if (each.internal()) {
                letters.merge(each.producer(), 1L, Long::sum);
            }
        }
        return letters;
    }

    private static String lettersOf(Object queue) {
        return "dead letters of " + queue;
    }

    private boolean lettersWaitForLog() {
        Map<String, Long> letters = null;
        for (Queue queue : view.queues()) {
            if (view.lettersWait(queue)) {
                letters = letters == null ? letters() : letters;
                if (!letters.containsKey(lettersOf(queue))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** That accounts hold what is in their queues. When loops are idle and nothing waits for the log. */
    private void compare() {
        statistics.compared();
        looks++;
        Map<String, Long> letters = letters();
        long allMessages = 0;
        long allUnsettled = 0;
        for (Queue queue : view.queues()) {
            Account account = queue.account();
            long waiting = letters.getOrDefault(lettersOf(queue), 0L);
            QueueModel model = ledger.queue(queue.name());
            Broken.unless(model == null || queue.ready() <= model.mostReady, "%s has %d ready messages, may have %d",
                    queue, queue.ready(), model == null ? 0 : model.mostReady);
            long[] credit = view.credit(account);
            statistics.creditHeld(credit[1]);
            long stored = queue.ready() + queue.delayed() + queue.unsettled() + credit[1];
            Broken.unless(account.usedMessages() >= stored && account.usedMessages() <= stored + waiting,
                    "%s has %d ready, %d delayed and %d unsettled messages, %d dead letters wait, and there is credit for %d, but"
                            + " %d are counted",
                    queue, queue.ready(), queue.delayed(), queue.unsettled(), waiting, credit[1],
                    account.usedMessages());
            boolean exact = waiting == 0 && queue.unsettled() == 0;
            long bytes = queue.readyBytes() + queue.delayedBytes() + credit[0];
            Broken.unless(exact ? account.usedBytes() == bytes : account.usedBytes() >= bytes,
                    "%s has %d bytes ready or delayed, or credit for them, but %d are counted; %d unsettled messages, %d dead"
                            + " letters",
                    queue, bytes, account.usedBytes(), queue.unsettled(), waiting);
            allMessages += account.usedMessages();
            allUnsettled += queue.unsettled();
            if (looks % 32 == 0) {
                checkBooks(queue, waiting);
            }
        }
        long ofRemoved = view.counters().unsettledMessages() - allUnsettled;
        long lettersInAll = letters.values().stream().mapToLong(each -> each).sum();
        for (Account exchange : view.exchanges()) {
            Broken.unless(
                    exchange.usedMessages() - view.credit(exchange)[1] <= allMessages + ofRemoved + lettersInAll,
                    "%s counts %d messages, but there are %d in all queues, %d of removed ones are unsettled, and %d dead letters wait",
                    exchange, exchange.usedMessages(), allMessages, ofRemoved, lettersInAll);
        }
        if (view.virtualHost() != null) {
            long used = view.virtualHost().usedMessages();
            Broken.unless(used >= allMessages + ofRemoved && used <= allMessages + ofRemoved + lettersInAll,
                    "%s counts %d messages, but its queues count %d, and %d of removed ones are unsettled",
                    view.virtualHost(), used, allMessages, ofRemoved);
        }
    }

    private void checkBooks(Queue queue, long letters) {
        long stored = queue.account().usedMessages() - view.credit(queue.account())[1];
        ledger.checkCount(ledger.queue(queue.name()), stored, letters,
                queue.account().droppedMessages() + droppedTogether());
    }

    /** How many messages were dropped since there was no room in accounts that queues share; counted once for all their queues. */
    private long droppedTogether() {
        long host = view.virtualHost() == null ? 0 : view.virtualHost().droppedMessages();
        return host + view.exchanges().stream().mapToLong(Account::droppedMessages).sum();
    }

    /** The same for all queues, when all is quiet. */
    void checkBooks() {
        Map<String, Long> letters = letters();
        for (Queue queue : view.queues()) {
            checkBooks(queue, letters.getOrDefault(lettersOf(queue), 0L));
        }
    }

    /** Whether dead letters of a queue wait. */
    boolean lettersWait(QueueModel model) {
        return view.queues().stream()
                .anyMatch(queue -> queue.name().equals(model.name) && view.lettersWait(queue))
                || letters().keySet().stream().anyMatch(each -> each.contains("'" + model.name + "'"));
    }

    /** How many dead letters wait for room in their addresses. */
    long waitingLetters() {
        return letters().values().stream().mapToLong(each -> each).sum();
    }

    /** How many publishes and commits of clients wait. */
    long parkedByClients() {
        return view.counters().parkedMessages() - waitingLetters();
    }

    /** Who waits where, for people. */
    String gates() {
        StringBuilder words = new StringBuilder();
        for (Account account : accounts().keySet()) {
            if (account.isWaited()) {
                words.append("\n  ").append(account).append(" with ").append(account.usedBytes()).append(" bytes and ")
                        .append(account.usedMessages()).append(" messages of ").append(account.limits());
                for (Ticket ticket : tickets(account)) {
                    words.append(", ").append(ticket.holder().producer()).append(" of ")
                            .append(ticket.holder().connection()).append(": ").append(ticket.holder().parkedMessages());
                }
            }
        }
        return words.toString();
    }

    /** That nothing is counted where nothing is. */
    void checkEmpty() {
        for (Account account : accounts().keySet()) {
            Broken.unless(account.usedBytes() == 0 && account.usedMessages() == 0,
                    "%s is empty, but counts %d bytes and %d messages", account, account.usedBytes(),
                    account.usedMessages());
            Broken.unless(!account.isWaited(), "somebody waits for %s, which is empty", account);
        }
        BrokerCounters counters = view.counters();
        Broken.unless(counters.parkedMessages() == 0 && counters.parkedBytes() == 0,
                "%d messages of %d bytes are left that wait for room", counters.parkedMessages(),
                counters.parkedBytes());
    }
}
