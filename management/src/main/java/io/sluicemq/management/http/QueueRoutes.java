package io.sluicemq.management.http;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.MoveTarget;
import io.sluicemq.api.operate.Moved;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Operations.GetMode;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.users.Role;
import io.sluicemq.management.http.Survey.Keyed;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Queues: what they are and hold, and what can be done with them and their messages. */
final class QueueRoutes {

    private static final int MOST_GOT = 1000;
    private static final int MOST_BODY_BYTES = 1 << 20;
    private static final int BODY_BYTES = 50_000;
    private static final String ONE = "/api/queues/{vhost}/{name}";

    private final Operations broker;
    private final Survey survey;
    private final String node;

    /** By what is known without asking a queue's loop. */
    private final Listing<QueueFacts> byFacts = new Listing<>(
            QueueFacts::name, Comparator.comparing(QueueFacts::virtualHost).thenComparing(QueueFacts::name))
            .key("name", QueueFacts::name)
            .key("vhost", QueueFacts::virtualHost)
            .key("durable", queue -> queue.spec().durable())
            .key("auto_delete", queue -> queue.spec().autoDelete())
            .key("exclusive", queue -> queue.spec().exclusive());

    private final Listing<QueueView> byAll = byAll();

    QueueRoutes(Operations broker, Survey survey, String node) {
        this.broker = broker;
        this.survey = survey;
        this.node = node;
    }

    private static Listing<QueueView> byAll() {
        Listing<QueueView> all = new Listing<>(
                QueueView::name,
                Comparator.comparing((QueueView queue) -> queue.facts().virtualHost()).thenComparing(QueueView::name));
        return all.key("name", QueueView::name)
                .key("vhost", queue -> queue.facts().virtualHost())
                .key("durable", queue -> queue.facts().spec().durable())
                .key("auto_delete", queue -> queue.facts().spec().autoDelete())
                .key("exclusive", queue -> queue.facts().spec().exclusive())
                .key("messages", QueueView::messages)
                .key("messages_ready", QueueView::readyMessages)
                .key("messages_unacknowledged", QueueView::unsettledMessages)
                .key("messages_delayed", QueueView::delayedMessages)
                .key("message_bytes", QueueView::readyBytes)
                .key("memory", QueueView::residentBytes)
                .key("used_bytes", QueueView::usedBytes)
                .key("consumers", QueueView::consumers)
                .key("waiting_producers", QueueView::waitingProducers)
                .key("state", QueueView::state)
                .key("oldest_message_age_ms", QueueView::oldestMillis)
                .key("dropped_messages", QueueView::droppedMessages)
                .key("message_stats.publish", queue -> queue.rates().in())
                .key("message_stats.publish_details.rate", queue -> queue.rates().inRate())
                .key("message_stats.deliver_get", queue -> queue.rates().out())
                .key("message_stats.deliver_get_details.rate", queue -> queue.rates().outRate())
                .key("message_stats.ack", queue -> queue.rates().acknowledged())
                .key("message_stats.ack_details.rate", queue -> queue.rates().acknowledgedRate());
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/queues", Role.MONITOR, "All queues", this::all).paged(),
                Route.get("/api/queues/{vhost}", Role.MONITOR, "The queues of a virtual host", this::ofHost).paged(),
                Route.get(ONE, Role.MONITOR, "A queue", this::one),
                Route.put(ONE, Role.OPERATOR, "Declares a queue",
                        "`durable` (true), `auto_delete` (false), `arguments`", this::declare),
                Route.delete(ONE, Role.OPERATOR, "Deletes a queue", this::delete)
                        .with("if-unused", "boolean", "only if it has no consumers")
                        .with("if-empty", "boolean", "only if it has no messages"),
                Route.get(ONE + "/bindings", Role.MONITOR, "The bindings that lead to a queue", this::bindings),
                Route.delete(ONE + "/contents", Role.OPERATOR, "Drops a queue's ready messages", this::purge),
                Route.post(ONE + "/get", Role.OPERATOR, "Takes messages from a queue",
                        "`count` (1 to 1000), `ackmode` (ack_requeue_true, ack_requeue_false, reject_requeue_true or"
                                + " reject_requeue_false), `encoding` (auto or base64), `truncate` (bytes of each body)",
                        this::get),
                Route.post(ONE + "/browse", Role.OPERATOR,
                        "Shows a queue's first messages and leaves them where they are",
                        "`count` (1 to 1000), `encoding` (auto or base64), `truncate` (bytes of each body)",
                        this::browse),
                Route.post(ONE + "/pause", Role.OPERATOR, "Stops a queue's deliveries", "nothing", this::pause),
                Route.post(ONE + "/resume", Role.OPERATOR, "Lets a queue's deliveries go on", "nothing",
                        this::resume),
                Route.post(ONE + "/move", Role.OPERATOR, "Moves messages from a queue to elsewhere",
                        "`queue`, or `exchange` and `routing_key`; `count` (all there are)", this::move),
                Route.post(ONE + "/retry", Role.OPERATOR,
                        "Sends dead letters back to where they died, and leaves other messages where they are",
                        "`count` (all there are)", this::retry));
    }

    // ---- lists

    private Answer all(Call call) {
        return list(call, call.visible(broker.virtualHosts()));
    }

    private Answer ofHost(Call call) {
        String host = call.virtualHost();
        broker.queueCount(host); // there is none of that name: it says so
        return list(call, List.of(host));
    }

    /** Of all queues as much is asked as it takes to find those that are shown; these are asked for what is shown of them. */
    private Answer list(Call call, List<String> hosts) {
        Columns columns = Columns.of(call);
        Function<QueueView, ObjectNode> row = this::json;
        String sort = call.query("sort");
        if (sort == null || byFacts.hasKey(sort)) {
            var page = byFacts.page(call, survey.queues(call, hosts));
            return page.of(call.await(broker.look(page.items()))).answer(row, columns);
        }
        if (!byAll.hasKey(sort)) {
            byAll.page(call, List.of()); // says what is wrong
        }
        var page = new Listing<Keyed>(
                each -> each.facts().name(),
                Comparator.comparing((Keyed each) -> each.facts().virtualHost())
                        .thenComparing(each -> each.facts().name()))
                .key(sort, Keyed::key)
                .page(call, survey.keyed(call, hosts, sort, byAll.key(sort)));
        List<QueueView> views = call.await(broker.look(page.items().stream().map(Keyed::facts).toList()));
        // Something may have come or gone since: on the page, too, they are in their order.
        return page.of(views.stream().sorted(byAll.order(call)).toList()).answer(row, columns);
    }

    private QueueFacts find(Call call) {
        return broker.queue(call.virtualHost(), call.path("name"))
                .orElseThrow(() -> ApiError.notFound(
                        "no queue '" + call.path("name") + "' in vhost '" + call.path("vhost") + "'"));
    }

    private Answer one(Call call) {
        QueueFacts facts = find(call);
        List<QueueView> found = call.await(broker.look(List.of(facts)));
        if (found.isEmpty()) {
            throw ApiError.notFound("queue '" + facts.name() + "' was deleted in this moment");
        }
        ObjectNode json = json(found.getFirst());
        ArrayNode consumers = json.putArray("consumer_details");
        call.await(broker.consumers(List.of(facts)))
                .forEach(consumer -> consumers.add(ConnectionRoutes.json(consumer)));
        return Answer.of(json);
    }

    private ObjectNode json(QueueView queue) {
        QueueSpec spec = queue.facts().spec();
        ObjectNode json = Json.object()
                .put("name", queue.name())
                .put("vhost", queue.facts().virtualHost())
                .put("type", "classic")
                .put("node", node)
                .put("durable", spec.durable())
                .put("auto_delete", spec.autoDelete())
                .put("exclusive", spec.exclusive());
        if (queue.facts().owner().isEmpty()) {
            json.putNull("owner");
        } else {
            json.put("owner", queue.facts().owner());
        }
        json.set("arguments", Json.map(spec.arguments()));
        json.put("state", queue.state())
                .put("paused", queue.paused())
                .put("consumers", queue.consumers())
                .put("messages", queue.messages())
                .put("messages_ready", queue.readyMessages())
                .put("messages_unacknowledged", queue.unsettledMessages())
                .put("messages_delayed", queue.delayedMessages())
                .put("message_bytes", queue.readyBytes() + queue.unsettledBytes() + queue.delayedBytes())
                .put("message_bytes_ready", queue.readyBytes())
                .put("message_bytes_unacknowledged", queue.unsettledBytes())
                .put("messages_ram", queue.residentMessages())
                .put("memory", queue.residentBytes())
                .put("messages_in_log_only", queue.readyMessages() - queue.residentMessages());
        if (queue.oldestMillis() < 0) {
            json.putNull("oldest_message_age_ms");
        } else {
            json.put("oldest_message_age_ms", queue.oldestMillis());
        }
        json.put("used_bytes", queue.usedBytes())
                .put("used_messages", queue.usedMessages())
                .put("dropped_messages", queue.droppedMessages())
                .put("refused_messages", queue.refusedMessages())
                .put("waiting_producers", queue.waitingProducers());
        json.set("limits", Shapes.limits(queue.limits()));
        json.set("message_stats", Shapes.stats(queue.rates()));
        return json;
    }

    private Answer bindings(Call call) {
        QueueFacts facts = find(call);
        ArrayNode all = Json.array();
        all.add(BindingRoutes.ofDefaultExchange(facts.virtualHost(), facts.name()));
        broker.bindingsTo(facts.virtualHost(), facts.name(), false)
                .forEach(binding -> all.add(BindingRoutes.json(facts.virtualHost(), binding)));
        return Answer.of(all);
    }

    // ---- acts

    private Answer declare(Call call) {
        String host = call.virtualHost();
        String name = call.path("name");
        boolean there = broker.queue(host, name).isPresent();
        if (!there) {
            ApiError.refuseReserved(BrokerError.Kind.QUEUE, name);
        }
        call.await(broker.declareQueue(
                call.actor(), host,
                new QueueSpec(
                        name, call.flag("durable", true), false, call.flag("auto_delete", false),
                        call.arguments("arguments"))));
        return Answer.of(there ? 204 : 201);
    }

    private Answer delete(Call call) {
        QueueFacts facts = find(call);
        call.await(broker.deleteQueue(
                call.actor(), facts.virtualHost(), facts.name(), call.flag("if-unused"), call.flag("if-empty")));
        return Answer.of(204);
    }

    private Answer purge(Call call) {
        QueueFacts facts = find(call);
        call.await(broker.purge(call.actor(), facts.virtualHost(), facts.name()));
        return Answer.of(204);
    }

    private Answer get(Call call) {
        QueueFacts facts = find(call);
        GetMode mode = switch (call.text("ackmode", "ack_requeue_true")) {
            case "ack_requeue_true", "reject_requeue_true" -> GetMode.REQUEUE;
            case "ack_requeue_false" -> GetMode.ACCEPT;
            case "reject_requeue_false" -> GetMode.REJECT;
            default ->
                throw ApiError.badRequest("ackmode is '" + call.text("ackmode")
                        + "': expected one of ack_requeue_true, ack_requeue_false, reject_requeue_true,"
                        + " reject_requeue_false");
        };
        return messages(call, call.await(broker.get(
                call.actor(), facts.virtualHost(), facts.name(), count(call), mode, truncate(call))));
    }

    private Answer browse(Call call) {
        QueueFacts facts = find(call);
        return messages(call, call.await(broker.browse(
                call.actor(), facts.virtualHost(), facts.name(), count(call), truncate(call))));
    }

    private static int count(Call call) {
        return (int) call.bodyNumber("count", 1, MOST_GOT, 1);
    }

    private static int truncate(Call call) {
        return (int) call.bodyNumber("truncate", 0, MOST_BODY_BYTES, BODY_BYTES);
    }

    private static Answer messages(Call call, List<MessageView> messages) {
        boolean base64 = switch (call.text("encoding", "auto")) {
            case "auto" -> false;
            case "base64" -> true;
            default -> throw ApiError.badRequest("encoding is '" + call.text("encoding")
                    + "': expected auto or base64");
        };
        ArrayNode all = Json.array();
        messages.forEach(message -> all.add(MessageShapes.json(message, base64)));
        return Answer.of(all);
    }

    private Answer pause(Call call) {
        QueueFacts facts = find(call);
        call.await(broker.pause(call.actor(), facts.virtualHost(), facts.name(), true));
        return Answer.of(204);
    }

    private Answer resume(Call call) {
        QueueFacts facts = find(call);
        call.await(broker.pause(call.actor(), facts.virtualHost(), facts.name(), false));
        return Answer.of(204);
    }

    private Answer move(Call call) {
        String queue = call.text("queue", null);
        String exchange = call.text("exchange", null);
        if ((queue == null) == (exchange == null)) {
            throw ApiError.badRequest("expected either queue, or exchange and routing_key, in the body");
        }
        return move(call, queue != null
                ? new MoveTarget.To("", queue)
                : new MoveTarget.To(ExchangeRoutes.named(exchange), call.text("routing_key", "")));
    }

    private Answer retry(Call call) {
        return move(call, new MoveTarget.WhereTheyDied());
    }

    private Answer move(Call call, MoveTarget to) {
        QueueFacts facts = find(call);
        Moved moved = call.await(broker.move(
                call.actor(), facts.virtualHost(), facts.name(),
                call.bodyNumber("count", 1, Long.MAX_VALUE, Long.MAX_VALUE),
                to));
        return Answer.of(Json.object()
                .put("moved", moved.messages())
                .put("remaining", moved.remaining())
                .put("stopped", moved.stopped()));
    }
}
