package io.sluicemq.management.http;

import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.operate.ConnectionView;
import io.sluicemq.api.operate.ConsumerView;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.users.Role;
import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Connections, their channels and links, and consumers. */
final class ConnectionRoutes {

    private static final int LONGEST_REASON = 200;

    private final Operations broker;
    private final Survey survey;
    private final String node;

    /** A channel and its connection. */
    private record Channel(ConnectionView connection, ClientDetails.Channel channel) {

        String name() {
            return connection.name() + " (" + channel.number() + ")";
        }
    }

    private final Listing<ConnectionView> connections = new Listing<>(
            ConnectionView::name,
            Comparator.comparing(ConnectionView::virtualHost)
                    .thenComparing(ConnectionView::name)
                    .thenComparing(ConnectionView::connectedMillis))
            .key("name", ConnectionView::name)
            .key("vhost", ConnectionView::virtualHost)
            .key("user", ConnectionView::user)
            .key("protocol", ConnectionView::protocol)
            .key("product", ConnectionView::product)
            .key("state", connection -> connection.details().state())
            .key("channels", connection -> connection.details().channels().size())
            .key("consumers", ConnectionView::consumers)
            .key("recv_oct", connection -> connection.details().receivedBytes())
            .key("send_oct", connection -> connection.details().sentBytes())
            .key("connected_at", ConnectionView::connectedMillis);

    private final Listing<Channel> channels = new Listing<Channel>(
            Channel::name, Comparator.comparing(Channel::name))
            .key("name", Channel::name)
            .key("vhost", each -> each.connection().virtualHost())
            .key("user", each -> each.connection().user())
            .key("number", each -> each.channel().number())
            .key("consumer_count", each -> each.channel().consumers())
            .key("messages_unacknowledged", each -> each.channel().unsettled())
            .key("messages_unconfirmed", each -> each.channel().parkedMessages());

    private final Listing<ConsumerView> consumers = new Listing<>(
            ConsumerView::queue,
            Comparator.comparing(ConsumerView::virtualHost)
                    .thenComparing(ConsumerView::queue)
                    .thenComparing(ConsumerView::connection)
                    .thenComparing(ConsumerView::tag))
            .key("vhost", ConsumerView::virtualHost)
            .key("queue", ConsumerView::queue)
            .key("consumer_tag", ConsumerView::tag)
            .key("connection", ConsumerView::connection)
            .key("user", ConsumerView::user)
            .key("prefetch_count", ConsumerView::prefetch)
            .key("messages_unacknowledged", ConsumerView::unsettledMessages)
            .key("acknowledged", ConsumerView::settledMessages)
            .key("slow_ms", ConsumerView::slowMillis);

    ConnectionRoutes(Operations broker, Survey survey, String node) {
        this.broker = broker;
        this.survey = survey;
        this.node = node;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/connections", Role.MONITOR, "All connections that are in a virtual host", this::all)
                        .paged(),
                Route.get("/api/connections/{name}", Role.MONITOR, "A connection, with its channels", this::one),
                Route.delete("/api/connections/{name}", Role.OPERATOR,
                        "Closes a connection; the header X-Reason is what its client is told", this::close),
                Route.get("/api/connections/{name}/channels", Role.MONITOR, "The channels or sessions of a connection",
                        this::channelsOf),
                Route.get("/api/vhosts/{vhost}/connections", Role.MONITOR, "The connections in a virtual host",
                        this::ofHost).paged(),
                Route.get("/api/channels", Role.MONITOR, "All channels (AMQP 0-9-1) and sessions (AMQP 1.0)",
                        this::allChannels).paged(),
                Route.get("/api/channels/{name}", Role.MONITOR, "A channel or session, with its links",
                        this::oneChannel),
                Route.get("/api/vhosts/{vhost}/channels", Role.MONITOR, "The channels in a virtual host",
                        this::channelsOfHost).paged(),
                Route.get("/api/consumers", Role.MONITOR, "All consumers", this::allConsumers).paged(),
                Route.get("/api/consumers/{vhost}", Role.MONITOR, "The consumers of a virtual host's queues",
                        this::consumersOfHost).paged());
    }

    // ---- connections

    private List<ConnectionView> visible(Call call) {
        return visible(call, survey.connections(call));
    }

    private static List<ConnectionView> visible(Call call, List<ConnectionView> all) {
        return all.stream().filter(each -> call.login().user().mayUse(each.virtualHost())).toList();
    }

    private Answer all(Call call) {
        return connections.page(call, visible(call)).answer(this::json, Columns.of(call));
    }

    private Answer ofHost(Call call) {
        List<ConnectionView> found = inHost(call);
        return connections.page(call, found).answer(this::json, Columns.of(call));
    }

    private List<ConnectionView> inHost(Call call) {
        String host = call.virtualHost();
        requireHost(host);
        return visible(call).stream().filter(each -> each.virtualHost().equals(host)).toList();
    }

    private void requireHost(String host) {
        if (!broker.virtualHosts().contains(host)) {
            throw ApiError.notFound("no vhost '" + host + "'");
        }
    }

    /** As it is now, however many there are. */
    private ConnectionView find(Call call) {
        String name = call.path("name");
        return visible(call, call.await(broker.connections())).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ApiError.notFound("no connection '" + name + "'"));
    }

    private Answer one(Call call) {
        ConnectionView connection = find(call);
        ObjectNode json = json(connection);
        ArrayNode all = json.putArray("channel_details");
        connection.details().channels().forEach(each -> all.add(json(new Channel(connection, each))));
        return Answer.of(json);
    }

    private ObjectNode json(ConnectionView connection) {
        ClientDetails details = connection.details();
        int colon = details.peer().lastIndexOf(':');
        ObjectNode json = Json.object()
                .put("name", connection.name())
                .put("vhost", connection.virtualHost())
                .put("user", connection.user())
                .put("node", node)
                .put("protocol", connection.protocol())
                .put("product", connection.product())
                .put("container_id", connection.identity())
                .put("state", Shapes.word(details.state()))
                .put("waits_for", details.why())
                .put("peer_host", colon < 0 ? details.peer() : details.peer().substring(0, colon));
        if (colon < 0) {
            json.putNull("peer_port");
        } else {
            json.put("peer_port", Integer.parseInt(details.peer().substring(colon + 1)));
        }
        json.put("channels", details.channels().size())
                .put("consumers", connection.consumers())
                .put("channel_max", details.channelMax())
                .put("frame_max", details.frameMax())
                .put("timeout", details.heartbeatSeconds())
                .put("recv_oct", details.receivedBytes())
                .put("send_oct", details.sentBytes())
                .put("connected_at", connection.connectedMillis())
                .put("type", "network");
        json.set("client_properties", Json.map(details.properties()));
        return json;
    }

    private Answer close(Call call) {
        ConnectionView connection = find(call);
        String reason = call.header("X-Reason");
        if (reason == null || reason.isBlank()) {
            reason = "closed by an operator";
        }
        String told = reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) : reason;
        if (!call.await(broker.closeConnection(call.actor(), connection.name(), told))) {
            throw ApiError.notFound("connection '" + connection.name() + "' has gone in this moment");
        }
        return Answer.of(204);
    }

    // ---- channels

    private static List<Channel> channels(List<ConnectionView> of) {
        return of.stream()
                .flatMap(each -> each.details().channels().stream().map(channel -> new Channel(each, channel)))
                .toList();
    }

    private Answer channelsOf(Call call) {
        ArrayNode all = Json.array();
        channels(List.of(find(call))).forEach(each -> all.add(json(each)));
        return Answer.of(all);
    }

    private Answer allChannels(Call call) {
        return channels.page(call, channels(visible(call))).answer(this::json, Columns.of(call));
    }

    private Answer channelsOfHost(Call call) {
        return channels.page(call, channels(inHost(call))).answer(this::json, Columns.of(call));
    }

    private Answer oneChannel(Call call) {
        String name = call.path("name");
        return Answer.of(channels(visible(call)).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .map(this::json)
                .orElseThrow(() -> ApiError.notFound("no channel '" + name + "'")));
    }

    private ObjectNode json(Channel each) {
        ClientDetails.Channel channel = each.channel();
        ObjectNode json = Json.object()
                .put("name", each.name())
                .put("number", channel.number())
                .put("vhost", each.connection().virtualHost())
                .put("user", each.connection().user())
                .put("node", node)
                .put("state", channel.waitsFor().isEmpty() ? "running" : "flow")
                .put("waits_for", channel.waitsFor())
                .put("consumer_count", channel.consumers())
                .put("messages_unacknowledged", channel.unsettled())
                .put("messages_unconfirmed", channel.parkedMessages())
                .put("parked_bytes", channel.parkedBytes())
                .put("prefetch_count", channel.prefetch())
                .put("global_prefetch_count", channel.sharedPrefetch())
                .put("confirm", channel.confirms())
                .put("transactional", channel.transactional());
        json.putObject("connection_details")
                .put("name", each.connection().name())
                .put("user", each.connection().user());
        ArrayNode links = json.putArray("links");
        channel.links().forEach(link -> links.addObject()
                .put("name", link.name())
                .put("role", link.role())
                .put("address", link.address())
                .put("credit", link.credit()));
        return json;
    }

    // ---- consumers

    private Answer allConsumers(Call call) {
        return consumers(call, call.visible(broker.virtualHosts()));
    }

    private Answer consumersOfHost(Call call) {
        String host = call.virtualHost();
        requireHost(host);
        return consumers(call, List.of(host));
    }

    private Answer consumers(Call call, List<String> hosts) {
        List<ConsumerView> all = call.await(broker.consumers(
                hosts.stream().flatMap(each -> broker.queues(each).stream()).toList()));
        return consumers.page(call, all).answer(ConnectionRoutes::json, Columns.of(call));
    }

    static ObjectNode json(ConsumerView consumer) {
        ObjectNode json = Json.object().put("consumer_tag", consumer.tag());
        json.putObject("queue").put("name", consumer.queue()).put("vhost", consumer.virtualHost());
        json.putObject("channel_details")
                .put("connection_name", consumer.connection())
                .put("user", consumer.user());
        json.put("ack_required", !consumer.settles())
                .put("browses", consumer.browses())
                .put("exclusive", consumer.exclusive())
                .put("priority", consumer.priority())
                .put("prefetch_count", consumer.prefetch())
                .put("credit", consumer.credit())
                .put("messages_unacknowledged", consumer.unsettledMessages())
                .put("acknowledged", consumer.settledMessages())
                .put("slow", consumer.slowMillis() >= 0);
        if (consumer.slowMillis() < 0) {
            json.putNull("slow_ms");
        } else {
            json.put("slow_ms", consumer.slowMillis());
        }
        return json;
    }
}
