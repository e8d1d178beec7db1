package io.sluicemq.management.metrics;

import static io.sluicemq.management.metrics.Metric.counter;
import static io.sluicemq.management.metrics.Metric.gauge;
import static io.sluicemq.management.metrics.Metric.histogram;

import io.sluicemq.api.operate.LimitsView;
import io.sluicemq.api.operate.Measures.OfAddress;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.ServerMeasures;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** All that is measured of a broker, in the order of the documentation. Stateless. */
final class BrokerMetrics {

    /** What stands for the name of those that are not shown by themselves; their virtual host is empty, which no real one's is. */
    static final String OTHERS = "(others)";

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MILLIS = 1_000;

    static final List<Metric> ALL = Stream.of(
            broker(), messages(), publishers(), memory(), slowConsumers(), clients(), loops(), log(), queues(),
            addresses()).flatMap(List::stream).toList();

    private BrokerMetrics() {}

    private static Metric.Source count(String name) {
        return (of, points) -> points.add(of.counter(name));
    }

    private static Metric.Source one(ToDoubleFunction<Gathered> value) {
        return (of, points) -> points.add(value.applyAsDouble(of));
    }

    private static List<Metric> broker() {
        return List.of(
                new Metric("sluicemq_info", Metric.Type.INFO, "1, with the broker's version.", List.of("version"),
                        (of, points) -> points.add(1, of.version())),
                gauge("sluicemq_start_time_seconds", "When the broker was started, in seconds since 1970.",
                        one(of -> of.startedMillis() / MILLIS)),
                gauge("sluicemq_queues", "Queues of all virtual hosts.", count("queues")),
                gauge("sluicemq_exchanges", "Exchanges that clients have declared.", count("exchanges")),
                gauge("sluicemq_bindings", "Bindings that clients have made.", count("bindings")),
                counter("sluicemq_failed_checks_total",
                        "Checks that have failed by a defect of the broker; each is in its log.",
                        count("failedChecks")),
                counter("sluicemq_failed_tasks_total",
                        "Tasks that have failed by a defect of the broker; each is in its log.",
                        one(of -> of.server().failedTasks())),
                gauge("sluicemq_gathering_seconds", "How long it took to gather these numbers from all loops.",
                        one(of -> of.nanos() / NANOS)));
    }

    private static List<Metric> messages() {
        return List.of(
                counter("sluicemq_messages_published_total",
                        "Messages accepted from clients, whether or not a queue was reached.", count("published")),
                counter("sluicemq_messages_delivered_total",
                        "Messages given to consumers, again and again if they came back.", count("delivered")),
                counter("sluicemq_messages_redelivered_total", "Of these, messages that had been given before.",
                        count("redelivered")),
                counter("sluicemq_messages_acknowledged_total", "Messages that consumers have settled as accepted.",
                        count("acknowledged")),
                counter("sluicemq_messages_dead_lettered_total",
                        "Messages published again by a dead-letter exchange or address.", count("deadLettered")),
                counter("sluicemq_messages_dropped_total",
                        "Messages that were lost to their queue, by why: `length-limit`, `expired`, `rejected` (with nowhere to"
                                + " go), `policy` (drop), `ring` (the oldest, for newer ones), `cycle` (dead letters that would go"
                                + " in a circle), `reply` (the receiver read too slowly), `unconfirmed` (waited when their"
                                + " connection was lost).",
                        BrokerMetrics::dropped).by("reason"),
                counter("sluicemq_messages_refused_total",
                        "Messages that were refused to their publisher by the policy `fail`, a `hold-limit`, or since they are"
                                + " larger than the limit.",
                        count("refusedByPolicy")),
                gauge("sluicemq_messages", "Messages in queues, by state: `ready`, `unsettled` or `delayed`.",
                        (of, points) -> {
                            points.add(of.counter("readyMessages"), "ready");
                            points.add(of.counter("unsettledMessages"), "unsettled");
                            points.add(of.counter("delayedMessages"), "delayed");
                        }).by("state"));
    }

    private static void dropped(Gathered of, Points points) {
        points.add(of.counter("droppedByLimit"), "length-limit");
        points.add(of.counter("droppedByExpiry"), "expired");
        points.add(of.counter("droppedByRejection"), "rejected");
        points.add(of.counter("droppedByPolicy") - of.counter("cycled"), "policy");
        points.add(of.counter("cycled"), "ring");
        points.add(of.counter("droppedInCycles"), "cycle");
        points.add(of.counter("droppedReplies"), "reply");
        points.add(of.counter("droppedUnconfirmed"), "unconfirmed");
    }

    private static List<Metric> publishers() {
        return List.of(
                gauge("sluicemq_producers_held",
                        "Producers that wait for room in an address, with messages or for credit.",
                        one(of -> of.broker().holdsNow())),
                counter("sluicemq_producer_holds_total", "How often a producer began to wait.",
                        one(of -> of.broker().holdsBegun())),
                histogram("sluicemq_producer_hold_seconds", "How long producers waited, counted when that ended.",
                        (of, points) -> points.add(of.broker().holdNanos(), NANOS)),
                gauge("sluicemq_messages_parked", "Messages that wait for room in their addresses.",
                        count("parkedMessages")),
                gauge("sluicemq_parked_bytes", "Bytes of these.", count("parkedBytes")),
                gauge("sluicemq_credit_lines",
                        "Producers that are given credit before they send (links of AMQP 1.0).",
                        one(of -> of.broker().creditLines())),
                gauge("sluicemq_publish_answers_outstanding",
                        "Publishes whose publishers wait for an answer: a confirm, or an outcome.",
                        one(of -> of.broker().answersOutstanding())),
                counter("sluicemq_publish_answers_total", "Answers given to publishers: `confirmed` or `refused`.",
                        (of, points) -> {
                            points.add(
                                    of.broker().answersGiven() - of.broker().answersRefused(), "confirmed");
                            points.add(of.broker().answersRefused(), "refused");
                        }).by("result"),
                histogram("sluicemq_publish_answer_seconds",
                        "How long publishers waited for their answers: of one in 64, and of one at a time.",
                        (of, points) -> points.add(of.broker().answerNanos(), NANOS)));
    }

    private static List<Metric> memory() {
        return List.of(
                gauge("sluicemq_memory_used_bytes", "Bytes of memory that messages take.",
                        count("messageBytes")),
                gauge("sluicemq_memory_limit_bytes", "Bytes of memory that messages may take.",
                        one(of -> of.broker().memoryLimitBytes())),
                gauge("sluicemq_shortage", "1 while all publishers wait for memory or the disk, else 0.",
                        one(of -> of.broker().shortage().isPresent() ? 1 : 0)),
                counter("sluicemq_shortage_seconds_total", "For how long in all publishers had to wait so.",
                        one(of -> of.broker().shortNanos() / NANOS)),
                counter("sluicemq_page_outs_total", "Messages that have left memory and wait in the log.",
                        count("pagedOut")),
                counter("sluicemq_page_out_bytes_total", "Bytes of these.", count("pagedOutBytes")),
                counter("sluicemq_read_backs_total", "Messages that were read from the log.", count("readBack")),
                counter("sluicemq_read_back_bytes_total", "Bytes of these.", count("readBackBytes")),
                gauge("sluicemq_network_buffer_bytes",
                        "Bytes of memory outside the heap that buffers of sockets take.",
                        one(of -> of.server().networkBytes())));
    }

    private static List<Metric> slowConsumers() {
        return List.of(
                gauge("sluicemq_slow_consumers", "Consumers, and subscriptions without one, that are too slow.",
                        count("slowConsumers")),
                counter("sluicemq_slow_consumer_events_total",
                        "How often one was found too slow, by what was done: `none`, `cut`, `cut-and-keep`, `hold` (the producers),"
                                + " `delete`, `keep` or `keep-for-owner`.",
                        (of, points) -> of.broker().slowConsumers()
                                .forEach((action, times) -> points.add(times, action)))
                        .by("action"),
                counter("sluicemq_consumers_cut_total", "Consumers that were cut since they were too slow.",
                        count("consumersCut")));
    }

    private static List<Metric> clients() {
        return List.of(
                gauge("sluicemq_connections", "Clients, by protocol.",
                        (of, points) -> of.broker().protocols()
                                .forEach((name, has) -> points.add(has.connections(), name)))
                        .by("protocol"),
                gauge("sluicemq_channels", "Channels, or sessions, of these.",
                        (of, points) -> of.broker().protocols()
                                .forEach((name, has) -> points.add(has.channels(), name)))
                        .by("protocol"),
                gauge("sluicemq_consumers", "Consumers of these.",
                        (of, points) -> of.broker().protocols()
                                .forEach((name, has) -> points.add(has.consumers(), name)))
                        .by("protocol"),
                gauge("sluicemq_links_kept", "Links whose clients have gone, and that are kept until they come back.",
                        count("keptLinks")),
                gauge("sluicemq_deliveries_kept", "Deliveries of these.", count("keptDeliveries")),
                counter("sluicemq_logins_refused_total", "Logins that were refused, over all protocols and HTTP.",
                        one(of -> of.server().loginsRefused())),
                listener(gauge("sluicemq_listener_connections", "Connections that are open, by listener.", null),
                        ServerMeasures.OfListener::open),
                listener(gauge("sluicemq_listener_unauthenticated",
                        "Connections whose peers have not proved who they are yet.", null),
                        ServerMeasures.OfListener::unauthenticated),
                listener(counter("sluicemq_listener_accepted_total", "Connections that were let in.", null),
                        ServerMeasures.OfListener::accepted),
                listener(counter("sluicemq_listener_refused_total",
                        "Connections that were closed at once, since a limit was reached or the broker was stopping.",
                        null),
                        ServerMeasures.OfListener::refused),
                listener(counter("sluicemq_listener_unknown_protocol_total",
                        "Connections that began with what no protocol knows.", null),
                        ServerMeasures.OfListener::unknownProtocol),
                listener(counter("sluicemq_listener_received_bytes_total", "Bytes read from sockets.", null),
                        ServerMeasures.OfListener::bytesIn),
                listener(counter("sluicemq_listener_sent_bytes_total", "Bytes handed to sockets.", null),
                        ServerMeasures.OfListener::bytesOut));
    }

    private static Metric listener(Metric metric, ToLongFunction<ServerMeasures.OfListener> value) {
        return new Metric(
                metric.name(), metric.type(), metric.help(), List.of("listener"),
                (of, points) -> of.server().listeners()
                        .forEach((name, counted) -> points.add(value.applyAsLong(counted), name)));
    }

    private static List<Metric> loops() {
        return List.of(
                gauge("sluicemq_loop_lag_seconds",
                        "How long it took each event loop to get round to answering this scrape.",
                        (of, points) -> of.broker().loops()
                                .forEach(loop -> points.add(loop.lagNanos() / NANOS, loop(loop.index()))))
                        .by("loop"),
                gauge("sluicemq_loop_connections", "Clients that live on each event loop.",
                        (of, points) -> of.broker().loops()
                                .forEach(loop -> points.add(loop.connections(), loop(loop.index()))))
                        .by("loop"),
                gauge("sluicemq_loop_queues", "Queues that live on each event loop.",
                        (of, points) -> of.broker().loops()
                                .forEach(loop -> points.add(loop.queues(), loop(loop.index()))))
                        .by("loop"),
                counter("sluicemq_loop_rests_total",
                        "How often each event loop has rested while busy peers sent on (`longest-rest`).",
                        (of, points) -> rests(of, points, ServerMeasures.OfRests::count, 1)).by("loop"),
                counter("sluicemq_loop_rest_seconds_total", "How long these rests were to be in all.",
                        (of, points) -> rests(of, points, ServerMeasures.OfRests::nanos, NANOS)).by("loop"));
    }

    private static void rests(
            Gathered of, Points points, ToLongFunction<ServerMeasures.OfRests> value, double perUnit) {
        for (int i = 0; i < of.server().rests().size(); i++) {
            points.add(value.applyAsLong(of.server().rests().get(i)) / perUnit, loop(i));
        }
    }

    private static String loop(int index) {
        return Integer.toString(index);
    }

    private static List<Metric> log() {
        return List.of(
                logged(gauge("sluicemq_log_position_bytes", "Where the log's next record goes.", null),
                        ServerMeasures.OfLog::endPosition),
                logged(gauge("sluicemq_log_durable_position_bytes", "Up to where the log is durable.", null),
                        ServerMeasures.OfLog::durablePosition),
                histogram("sluicemq_log_sync_seconds", "How long each sync of the log took.",
                        (of, points) -> of.server().log().ifPresent(log -> points.add(log.syncNanos(), NANOS))),
                histogram("sluicemq_log_sync_batch_bytes", "How many bytes each sync of the log made durable.",
                        (of, points) -> of.server().log().ifPresent(log -> points.add(log.syncBytes(), 1))),
                logged(gauge("sluicemq_log_segments", "Segments of the log.", null),
                        ServerMeasures.OfLog::segments),
                logged(gauge("sluicemq_log_segment_bytes", "Bytes of these on the disk.", null),
                        ServerMeasures.OfLog::segmentBytes),
                logged(gauge("sluicemq_log_retained_bytes", "Bytes of messages in these that are still needed.", null),
                        ServerMeasures.OfLog::retainedBytes),
                gauge("sluicemq_log_limit_bytes",
                        "Bytes that segments may take (`storage.max-size`); absent without a limit.",
                        (of, points) -> of.server().log()
                                .filter(log -> log.limitBytes() >= 0)
                                .ifPresent(log -> points.add(log.limitBytes()))),
                logged(gauge("sluicemq_disk_free_bytes", "Bytes that are free where the log is.", null),
                        ServerMeasures.OfLog::freeBytes),
                logged(gauge("sluicemq_disk_floor_bytes",
                        "Bytes that are to stay free there (`storage.free-space-floor`).", null),
                        ServerMeasures.OfLog::floorBytes));
    }

    private static Metric logged(Metric metric, ToLongFunction<ServerMeasures.OfLog> value) {
        return new Metric(
                metric.name(), metric.type(), metric.help(), metric.labels(),
                (of, points) -> of.server().log().ifPresent(log -> points.add(value.applyAsLong(log))));
    }

    // ---- of the first queues

    private static List<Metric> queues() {
        return List.of(
                gauge("sluicemq_queues_in_others",
                        "Queues that are not told of by themselves: they are the queue `(others)` of the virtual host of no"
                                + " name.",
                        one(of -> of.queues().others().size())),
                gauge("sluicemq_queue_messages", "Messages of a queue, by state: `ready`, `unsettled` or `delayed`.",
                        (of, points) -> {
                            byState(of, points, "ready", QueueView::readyMessages);
                            byState(of, points, "unsettled", QueueView::unsettledMessages);
                            byState(of, points, "delayed", QueueView::delayedMessages);
                        }).by("virtual_host", "queue", "state"),
                gauge("sluicemq_queue_bytes", "Bytes of these, in memory or in the log.",
                        (of, points) -> {
                            byState(of, points, "ready", QueueView::readyBytes);
                            byState(of, points, "unsettled", QueueView::unsettledBytes);
                            byState(of, points, "delayed", QueueView::delayedBytes);
                        }).by("virtual_host", "queue", "state"),
                queue(gauge("sluicemq_queue_memory_bytes", "Bytes of ready messages that are in memory.", null),
                        QueueView::residentBytes),
                gauge("sluicemq_queue_oldest_message_age_seconds",
                        "For how long the oldest ready message has been there; absent if there is none, or it isn't known as it"
                                + " waits in the log. Of the others, the most.",
                        BrokerMetrics::ages).by("virtual_host", "queue"),
                queue(gauge("sluicemq_queue_consumers", "Consumers of a queue.", null), QueueView::consumers),
                queue(gauge("sluicemq_queue_producers_waiting", "Producers that wait for room in a queue.", null),
                        QueueView::waitingProducers),
                queue(gauge("sluicemq_queue_paused", "1 if an operator has stopped its deliveries, else 0.", null),
                        queue -> queue.paused() ? 1 : 0),
                counter("sluicemq_queue_published_total", "Messages that came into a queue.",
                        (of, points) -> sums(of, points, queue -> queue.rates().in(), 0))
                        .by("virtual_host", "queue"),
                counter("sluicemq_queue_delivered_total", "Messages that a queue gave to consumers.",
                        (of, points) -> sums(of, points, queue -> queue.rates().out(), 1))
                        .by("virtual_host", "queue"),
                counter("sluicemq_queue_acknowledged_total",
                        "Messages of a queue that consumers have settled as accepted.",
                        (of, points) -> sums(of, points, queue -> queue.rates().acknowledged(), 2))
                        .by("virtual_host", "queue"));
    }

    private static void byState(Gathered of, Points points, String state, ToLongFunction<QueueView> value) {
        for (QueueView queue : of.queues().named()) {
            points.add(value.applyAsLong(queue), queue.facts().virtualHost(), queue.name(), state);
        }
        if (!of.queues().others().isEmpty()) {
            points.add(of.queues().others().stream().mapToLong(value).sum(), "", OTHERS, state);
        }
    }

    private static Metric queue(Metric metric, ToLongFunction<QueueView> value) {
        return new Metric(
                metric.name(), metric.type(), metric.help(), List.of("virtual_host", "queue"), (of, points) -> {
                    for (QueueView queue : of.queues().named()) {
                        points.add(value.applyAsLong(queue), queue.facts().virtualHost(), queue.name());
                    }
                    if (!of.queues().others().isEmpty()) {
                        points.add(of.queues().others().stream().mapToLong(value).sum(), "", OTHERS);
                    }
                });
    }

    private static void ages(Gathered of, Points points) {
        for (QueueView queue : of.queues().named()) {
            if (queue.oldestMillis() >= 0) {
                points.add(queue.oldestMillis() / MILLIS, queue.facts().virtualHost(), queue.name());
            }
        }
        of.queues().others().stream().mapToLong(QueueView::oldestMillis).filter(age -> age >= 0).max()
                .ifPresent(age -> points.add(age / MILLIS, "", OTHERS));
    }

    private static void sums(Gathered of, Points points, ToLongFunction<QueueView> value, int ofOthers) {
        for (QueueView queue : of.queues().named()) {
            points.add(value.applyAsLong(queue), queue.facts().virtualHost(), queue.name());
        }
        if (!of.queues().others().isEmpty()) {
            points.add(of.queueSums()[ofOthers], "", OTHERS);
        }
    }

    // ---- of the first addresses

    private static List<Metric> addresses() {
        return List.of(
                gauge("sluicemq_addresses_in_others",
                        "Addresses that have a limit and are not told of by themselves: they are the address `(others)`.",
                        one(of -> of.addresses().others().size())),
                address(gauge("sluicemq_address_used_bytes",
                        "Bytes stored and reserved in an address that has a limit, or that producers wait for.", null),
                        OfAddress::usedBytes),
                address(gauge("sluicemq_address_used_messages", "Messages, likewise.", null), OfAddress::usedMessages),
                limit(gauge("sluicemq_address_limit_bytes",
                        "Bytes that it may hold: with the policy `page` in memory; absent without such a limit.", null),
                        LimitsView::maxBytes),
                limit(gauge("sluicemq_address_limit_messages", "Messages, likewise.", null), LimitsView::maxMessages),
                limit(gauge("sluicemq_address_page_limit_bytes",
                        "With the policy `page`, bytes that it may hold in memory and in the log; absent without such a limit.",
                        null), LimitsView::pageLimitBytes),
                address(gauge("sluicemq_address_credit_bytes",
                        "Bytes of the used ones that are reserved for messages that producers have credit for.", null),
                        OfAddress::creditBytes),
                address(gauge("sluicemq_address_credit_messages", "Messages, likewise.", null),
                        OfAddress::creditMessages),
                address(gauge("sluicemq_address_producers_waiting", "Producers that wait for room in it.", null),
                        OfAddress::waiting),
                gauge("sluicemq_address_longest_wait_seconds",
                        "For how long the one has waited that does so longest. Of the others, the most.",
                        BrokerMetrics::waits).by("virtual_host", "address", "kind"),
                counter("sluicemq_address_dropped_total", "Messages that its policy has dropped.",
                        (of, points) -> sums(of, points, 0, OfAddress::droppedMessages))
                        .by("virtual_host", "address", "kind"),
                counter("sluicemq_address_refused_total", "Messages that its policy has refused.",
                        (of, points) -> sums(of, points, 1, OfAddress::refusedMessages))
                        .by("virtual_host", "address", "kind"));
    }

    private static Metric address(Metric metric, ToLongFunction<OfAddress> value) {
        return new Metric(
                metric.name(), metric.type(), metric.help(), List.of("virtual_host", "address", "kind"),
                (of, points) -> {
                    for (OfAddress each : of.addresses().named()) {
                        points.add(value.applyAsLong(each), each.virtualHost(), each.address(), each.kind());
                    }
                    if (!of.addresses().others().isEmpty()) {
                        points.add(of.addresses().others().stream().mapToLong(value).sum(), "", OTHERS, "");
                    }
                });
    }

    /** Limits of others don't add up to anything. */
    private static Metric limit(Metric metric, ToLongFunction<LimitsView> value) {
        return new Metric(
                metric.name(), metric.type(), metric.help(), List.of("virtual_host", "address", "kind", "policy"),
                (of, points) -> {
                    for (OfAddress each : of.addresses().named()) {
                        long limit = value.applyAsLong(each.limits());
                        if (limit >= 0) {
                            points.add(
                                    limit, each.virtualHost(), each.address(), each.kind(), each.limits().policy());
                        }
                    }
                });
    }

    private static void waits(Gathered of, Points points) {
        for (OfAddress each : of.addresses().named()) {
            points.add(each.waitingMillis() / MILLIS, each.virtualHost(), each.address(), each.kind());
        }
        of.addresses().others().stream().mapToLong(OfAddress::waitingMillis).max()
                .ifPresent(wait -> points.add(wait / MILLIS, "", OTHERS, ""));
    }

    private static void sums(Gathered of, Points points, int ofOthers, ToLongFunction<OfAddress> value) {
        for (OfAddress each : of.addresses().named()) {
            points.add(value.applyAsLong(each), each.virtualHost(), each.address(), each.kind());
        }
        if (!of.addresses().others().isEmpty()) {
            points.add(of.addressSums()[ofOthers], "", OTHERS, "");
        }
    }
}
