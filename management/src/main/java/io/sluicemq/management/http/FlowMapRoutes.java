package io.sluicemq.management.http;

import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.operate.AddressView;
import io.sluicemq.api.operate.ConnectionView;
import io.sluicemq.api.operate.ConsumerView;
import io.sluicemq.api.operate.ExchangeView;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.Rates;
import io.sluicemq.api.users.Role;
import io.sluicemq.management.http.Survey.OfHost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The flow of messages as a graph: producers, the exchanges and queues that they publish to, what leads from these to queues, consumers. Of many
 * queues those that somebody waits for are in it, then the fullest and the busiest; what the others do is summed up. Which these are is
 * found out once for all who ask ({@link Survey}); what is shown of them is looked at for each.
 */
final class FlowMapRoutes {

    private static final int MOST_QUEUES = Survey.MOST_FIRST;
    private static final int QUEUES = 12;
    private static final int MOST_EXCHANGES = 12;
    private static final int MOST_PRODUCERS = 300;
    private static final int MOST_CONSUMERS = 300;
    private static final int MOST_KEYS = 3;

    private final Operations broker;
    private final Survey survey;

    /** Where messages go; a place has a name of its own among those of its kind in its virtual host. */
    private record Place(String virtualHost, String name) {}

    FlowMapRoutes(Operations broker, Survey survey) {
        this.broker = broker;
        this.survey = survey;
    }

    List<Route> routes() {
        return List.of(Route.get("/api/flow", Role.MONITOR,
                "Who publishes where, what leads from there to queues, who takes from them, and what waits", this::flow)
                .with("vhost", "string", "only this virtual host; needed with `name`")
                .with("kind", "string", "`queue` or `exchange`: what `name` is; queue if nothing is said")
                .with("name", "string",
                        "only this one and what it has to do with; the default exchange is `amq.default`")
                .with("most", "integer", "how many queues at most, 1 to 50; 12 if nothing is said"));
    }

    private Answer flow(Call call) {
        List<String> hosts = hosts(call);
        String name = call.query("name");
        boolean ofExchange = isOfExchange(call);
        if (name != null && call.query("vhost") == null) {
            throw ApiError.badRequest("vhost is missing: a name belongs to a virtual host");
        }
        int most = call.number("most", 1, MOST_QUEUES, QUEUES);
        // The default exchange leads to all queues.
        Chosen chosen = name == null || ofExchange && ExchangeRoutes.named(name).isEmpty()
                ? busiest(call, hosts, most)
                : chosen(call, ofExchange
                        ? reached(hosts.getFirst(), ExchangeRoutes.named(name))
                        : List.of(queue(hosts.getFirst(), name)), most);
        List<QueueView> shown = call.await(broker.look(chosen.queues().stream().map(QueueView::facts).toList()));

        Set<Place> queues = new LinkedHashSet<>();
        shown.forEach(each -> queues.add(new Place(each.facts().virtualHost(), each.name())));
        Map<Place, ExchangeView> exchanges = new LinkedHashMap<>();
        if (name != null && ofExchange && !ExchangeRoutes.named(name).isEmpty()) {
            add(exchanges, new Place(hosts.getFirst(), name));
        }
        ArrayNode routes = routes(queues, exchanges);
        Map<Place, AddressView> limited = limited(call, exchanges.keySet());
        List<AddressView> held = held(call, hosts, shown);

        ObjectNode json = Json.object();
        ArrayNode queueRows = json.putArray("queues");
        shown.forEach(each -> queueRows.add(json(each)));
        ArrayNode exchangeRows = json.putArray("exchanges");
        exchanges.forEach((place, view) -> exchangeRows.add(json(view, limited.get(place))));
        json.set("routes", routes);
        List<ConnectionView> present = survey.connections(call).stream()
                .filter(each -> hosts.contains(each.virtualHost()))
                .toList();
        ObjectNode leftOut = Json.object();
        json.set("producers", producers(present, queues, exchanges.keySet(), held, leftOut));
        ArrayNode consumers = json.putArray("consumers");
        List<ConsumerView> takers =
                call.await(broker.consumers(shown.stream().map(QueueView::facts).toList()));
        leftOut.put("consumers", Math.max(0, takers.size() - MOST_CONSUMERS));
        takers.stream()
                .sorted(Comparator.comparingLong(each -> -each.unsettledMessages()))
                .limit(MOST_CONSUMERS)
                .forEach(each -> consumers.add(ConnectionRoutes.json(each)));
        ArrayNode addresses = json.putArray("waiting");
        held.stream()
                .filter(each -> name == null || isShown(each, queues, exchanges.keySet()))
                .limit(MOST_QUEUES)
                .forEach(each -> addresses.add(FlowRoutes.json(each)));
        call.await(broker.shortage()).ifPresentOrElse(
                found -> json.putObject("shortage")
                        .put("reason", found.reason())
                        .put("since_ms", found.sinceMillis()),
                () -> json.putNull("shortage"));
        json.put("connections", present.size());
        json.set("left_out", leftOut.put("queues", chosen.leftOut().queues()));
        json.set("rest", rest(chosen.leftOut()));
        return Answer.of(json);
    }

    /**
     * The queues that are shown, and what the others do.
     *
     * @param queues as they were when they were chosen
     */
    private record Chosen(List<QueueView> queues, OfHost leftOut) {

        static Chosen of(List<QueueView> queues, OfHost all) {
            Rates rates = all.rates();
            int waiting = all.waiting();
            long messages = all.messages();
            for (QueueView each : queues) {
                rates = rates.minus(each.rates());
                messages -= each.messages();
                waiting -= each.waitingProducers() > 0 ? 1 : 0;
            }
            return new Chosen(queues, new OfHost(
                    List.of(), all.queues() - queues.size(), messages, waiting, rates));
        }
    }

    private Chosen busiest(Call call, List<String> hosts, int most) {
        Map<String, OfHost> found = survey.busiest(call);
        List<QueueView> first = new ArrayList<>();
        OfHost sum = OfHost.NONE;
        for (String host : hosts) {
            OfHost each = found.getOrDefault(host, OfHost.NONE);
            first.addAll(each.first());
            sum = sum.plus(each);
        }
        first.sort(Survey.BY_CONCERN);
        List<QueueView> used = first.stream().filter(FlowMapRoutes::isUsed).toList();
        return Chosen.of((used.isEmpty() ? first : used).stream().limit(most).toList(), sum);
    }

    /** Of a few queues, or of those that an exchange leads to. */
    private Chosen chosen(Call call, List<QueueFacts> candidates, int most) {
        OfHost of = survey.of(call, candidates);
        return Chosen.of(of.first().stream().limit(most).toList(), of);
    }

    /** What is waited for: of that much only a part is told, but of what is shown all. */
    private List<AddressView> held(Call call, List<String> hosts, List<QueueView> shown) {
        List<AddressView> held = new ArrayList<>();
        Set<Place> known = new HashSet<>();
        for (AddressView each : survey.pressure(call).addresses()) {
            if (!each.waiting().isEmpty() && hosts.contains(each.virtualHost())) {
                held.add(each);
                known.add(new Place(each.virtualHost(), each.address()));
            }
        }
        List<CompletableFuture<List<AddressView>>> more = shown.stream()
                .filter(each -> each.waitingProducers() > 0)
                .filter(each -> !known.contains(new Place(each.facts().virtualHost(), each.name())))
                .map(each -> broker.addresses(each.facts().virtualHost(), each.name(), true))
                .toList();
        more.forEach(each -> held.addAll(call.await(each)));
        return held;
    }

    private static boolean isOfExchange(Call call) {
        String kind = call.query("kind");
        if (kind == null || kind.equals("queue") || kind.equals("exchange")) {
            return "exchange".equals(kind);
        }
        throw ApiError.badRequest("kind is '" + kind + "': expected queue or exchange");
    }

    // ---- what is in it

    private List<String> hosts(Call call) {
        List<String> visible = call.visible(broker.virtualHosts());
        String wanted = call.query("vhost");
        if (wanted == null) {
            return visible;
        }
        if (!visible.contains(wanted)) {
            throw ApiError.notFound("no vhost '" + wanted + "' that user '" + call.login().user().name() + "' may use");
        }
        return List.of(wanted);
    }

    private QueueFacts queue(String host, String name) {
        return broker.queue(host, name)
                .orElseThrow(() -> ApiError.notFound("no queue '" + name + "' in vhost '" + host + "'"));
    }

    /** The queues that an exchange leads to, or another exchange behind it. */
    private List<QueueFacts> reached(String host, String exchange) {
        if (broker.exchange(host, exchange).isEmpty()) {
            throw ApiError.notFound("no exchange '" + exchange + "' in vhost '" + host + "'");
        }
        List<BindingSpec> all = broker.bindings(host);
        Set<String> from = new LinkedHashSet<>(Set.of(exchange));
        all.stream()
                .filter(each -> each.toExchange() && each.source().equals(exchange))
                .forEach(each -> from.add(each.destination()));
        return all.stream()
                .filter(each -> !each.toExchange() && from.contains(each.source()))
                .map(BindingSpec::destination)
                .distinct()
                .flatMap(each -> broker.queue(host, each).stream())
                .toList();
    }

    /** Whether there is something to see of it. */
    private static boolean isUsed(QueueView queue) {
        return queue.waitingProducers() > 0 || queue.messages() > 0 || queue.consumers() > 0
                || Survey.busy(queue.rates()) > 0;
    }

    /** The ways to these queues; notes the exchanges where they begin. */
    private ArrayNode routes(Set<Place> queues, Map<Place, ExchangeView> exchanges) {
        ArrayNode routes = Json.array();
        for (Place queue : queues) {
            addRoutes(routes, queue, false, exchanges);
        }
        for (Place exchange : List.copyOf(exchanges.keySet())) {
            addRoutes(routes, exchange, true, exchanges);
        }
        return routes;
    }

    private void addRoutes(ArrayNode routes, Place to, boolean toExchange, Map<Place, ExchangeView> exchanges) {
        Map<String, List<BindingSpec>> bySource = new LinkedHashMap<>();
        broker.bindingsTo(to.virtualHost(), to.name(), toExchange)
                .forEach(each -> bySource.computeIfAbsent(each.source(), source -> new ArrayList<>()).add(each));
        bySource.forEach((source, bindings) -> {
            if (!add(exchanges, new Place(to.virtualHost(), source))) {
                return;
            }
            ObjectNode route = routes.addObject()
                    .put("vhost", to.virtualHost())
                    .put("source", source)
                    .put("destination", to.name())
                    .put("destination_type", toExchange ? "exchange" : "queue")
                    .put("bindings", bindings.size());
            ArrayNode keys = route.putArray("routing_keys");
            bindings.stream().limit(MOST_KEYS).forEach(each -> keys.add(each.routingKey()));
        });
    }

    /** Whether it is among them, or there was room for it. */
    private boolean add(Map<Place, ExchangeView> exchanges, Place place) {
        if (exchanges.containsKey(place)) {
            return true;
        }
        return exchanges.size() < MOST_EXCHANGES && broker.exchange(place.virtualHost(), place.name())
                .map(view -> exchanges.put(place, view) == null)
                .orElse(false);
    }

    /** Exchanges that have a limit are addresses, too. */
    private Map<Place, AddressView> limited(Call call, Set<Place> exchanges) {
        Map<Place, CompletableFuture<List<AddressView>>> asked = new LinkedHashMap<>();
        exchanges.forEach(each -> asked.put(each, broker.addresses(each.virtualHost(), each.name(), false)));
        Map<Place, AddressView> found = new LinkedHashMap<>();
        asked.forEach((place, answer) -> call.await(answer).stream()
                .filter(each -> each.kind().equals("exchange"))
                .forEach(each -> found.put(place, each)));
        return found;
    }

    private static boolean isShown(AddressView address, Set<Place> queues, Set<Place> exchanges) {
        Place place = new Place(address.virtualHost(), address.address());
        return switch (address.kind()) {
            case "queue" -> queues.contains(place);
            case "exchange" -> exchanges.contains(place);
            default -> true; // of the virtual host, which is that of all of them
        };
    }

    // ---- shapes

    private static ObjectNode json(QueueView queue) {
        ObjectNode json = Json.object()
                .put("name", queue.name())
                .put("vhost", queue.facts().virtualHost())
                .put("state", queue.state())
                .put("paused", queue.paused())
                .put("consumers", queue.consumers())
                .put("messages", queue.messages())
                .put("messages_ready", queue.readyMessages())
                .put("messages_unacknowledged", queue.unsettledMessages())
                .put("used_bytes", queue.usedBytes())
                .put("used_messages", queue.usedMessages())
                .put("waiting_producers", queue.waitingProducers());
        json.set("arguments", Json.map(queue.facts().spec().arguments()));
        json.set("limits", Shapes.limits(queue.limits()));
        json.set("message_stats", Shapes.stats(queue.rates()));
        return json;
    }

    private static ObjectNode json(ExchangeView exchange, AddressView address) {
        ObjectNode json = Json.object()
                .put("name", exchange.spec().name())
                .put("vhost", exchange.virtualHost())
                .put("type", exchange.spec().type());
        if (address == null) {
            json.putNull("limits");
            return json.put("used_bytes", 0).put("used_messages", 0).put("waiting_producers", 0);
        }
        json.set("limits", Shapes.limits(address.limits()));
        return json.put("used_bytes", address.usedBytes())
                .put("used_messages", address.usedMessages())
                .put("waiting_producers", address.waiting().size());
    }

    /** Those that publish to what is shown, and those that wait for it; the latter first. */
    private static ArrayNode producers(
            List<ConnectionView> connections, Set<Place> queues, Set<Place> exchanges, List<AddressView> held,
            ObjectNode leftOut) {
        List<ObjectNode> all = new ArrayList<>();
        for (ConnectionView connection : connections) {
            for (ClientDetails.Channel channel : connection.details().channels()) {
                for (ClientDetails.Target target : channel.targets()) {
                    boolean direct = target.exchange().isEmpty();
                    Place place = new Place(
                            connection.virtualHost(), direct ? target.routingKey() : target.exchange());
                    if ((direct ? queues : exchanges).contains(place)) {
                        all.add(Json.object()
                                .put("connection", connection.name())
                                .put("user", connection.user())
                                .put("protocol", connection.protocol())
                                .put("product", connection.product())
                                .put("producer", target.producer())
                                .put("vhost", connection.virtualHost())
                                .put("kind", direct ? "queue" : "exchange")
                                .put("address", place.name())
                                .put("messages", target.messages())
                                .put("waits", waits(connection, target, held)));
                    }
                }
            }
        }
        leftOut.put("producers", Math.max(0, all.size() - MOST_PRODUCERS));
        ArrayNode json = Json.array();
        all.stream()
                .sorted(Comparator.comparing((ObjectNode each) -> !each.path("waits").asBoolean())
                        .thenComparing(each -> -each.path("messages").asLong()))
                .limit(MOST_PRODUCERS)
                .forEach(json::add);
        return json;
    }

    private static boolean waits(ConnectionView connection, ClientDetails.Target target, List<AddressView> held) {
        return held.stream()
                .filter(each -> each.virtualHost().equals(connection.virtualHost()))
                .flatMap(each -> each.waiting().stream())
                .anyMatch(each -> each.connection().equals(connection.name())
                        && each.producer().endsWith(target.producer()));
    }

    private static ObjectNode rest(OfHost others) {
        ObjectNode json = Json.object()
                .put("queues", others.queues())
                .put("messages", others.messages())
                .put("waiting_queues", others.waiting());
        json.set("message_stats", Shapes.stats(others.rates()));
        return json;
    }
}
