package io.sluicemq.cli.admin;

import io.sluicemq.broker.engine.Shortage;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.AddressState.ConsumerMeasure;
import io.sluicemq.broker.flow.AddressState.ConsumerState;
import io.sluicemq.broker.flow.AddressState.QueueState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * Addresses as a broker has told them, by its socket or over HTTP.
 *
 * @param leftOff how many more there are than an answer may have
 * @param shortage what every publish waits for; null if that is nothing
 */
public record AddressAnswer(List<AddressState> addresses, int leftOff, Shortage shortage) {

    /** The only low-water mark, period and cut that HTTP doesn't tell, and nothing is said of. */
    private static final int UNTOLD = 0;

    static AddressAnswer of(JsonNode answer) {
        return BrokerQuestion.JSON.treeToValue(answer, AddressAnswer.class);
    }

    /** What {@code /api/why} answers. */
    public static AddressAnswer overHttp(JsonNode answer) {
        JsonNode shortage = answer.path("shortage");
        return new AddressAnswer(
                answer.path("addresses").valueStream().map(AddressAnswer::address).toList(), 0,
                shortage.isObject()
                        ? new Shortage(shortage.path("reason").asString(), shortage.path("since_ms").asLong())
                        : null);
    }

    /** Addresses as {@code /api/addresses} has them. */
    public static AddressAnswer overHttp(List<JsonNode> addresses) {
        return new AddressAnswer(addresses.stream().map(AddressAnswer::address).toList(), 0, null);
    }

    private static AddressState address(JsonNode json) {
        JsonNode limits = json.path("limits");
        return new AddressState(
                json.path("vhost").asString(), json.path("address").asString(), json.path("kind").asString(),
                new AddressLimits(
                        limit(limits, "max_size_bytes"), limit(limits, "max_messages"),
                        FullPolicy.valueOf(upper(limits.path("policy"))), UNTOLD, limit(limits, "page_limit_bytes"),
                        AddressLimits.NONE, false),
                json.path("used_bytes").asLong(), json.path("used_messages").asLong(),
                json.path("highest_bytes").asLong(), json.path("credit_bytes").asLong(),
                json.path("credit_messages").asLong(), json.path("dropped_messages").asLong(),
                json.path("refused_messages").asLong(),
                json.path("waiting").valueStream().map(AddressAnswer::waiting).toList(),
                json.path("queues").valueStream().map(AddressAnswer::queue).toList());
    }

    private static AddressState.Waiting waiting(JsonNode json) {
        return new AddressState.Waiting(
                json.path("connection").asString(), json.path("producer").asString(), json.path("limit").asString(),
                json.path("waiting_ms").asLong(), json.path("position").asInt(), json.path("parked_messages").asInt(),
                json.path("parked_bytes").asLong());
    }

    private static QueueState queue(JsonNode json) {
        JsonNode rule = json.path("slow_consumer_rule");
        return new QueueState(
                json.path("name").asString(), json.path("messages_ready").asLong(),
                json.path("messages_delayed").asLong(), json.path("messages_unacknowledged").asLong(),
                rule.isObject()
                        ? new ConsumerRule(
                                limit(rule, "depth_bytes"), limit(rule, "message_count"), limit(rule, "message_age_ms"),
                                limit(rule, "messages_per_second"), UNTOLD,
                                ConsumerPolicy.valueOf(upper(rule.path("policy"))), false, null)
                        : null,
                json.path("consumers").valueStream().map(AddressAnswer::consumer).toList(),
                json.path("paused").asBoolean(false));
    }

    private static ConsumerState consumer(JsonNode json) {
        JsonNode measure = json.path("measure");
        return new ConsumerState(
                json.path("connection").asString(), json.path("consumer_tag").asString(),
                json.path("messages_unacknowledged").asLong(), json.path("acknowledged_per_second").asDouble(),
                measure.isObject()
                        ? new ConsumerMeasure(
                                measure.path("messages").asLong(), measure.path("bytes").asLong(),
                                measure.path("oldest_ms").asLong(),
                                measure.path("messages_per_second").asDouble(-1), limit(json, "slow_ms"))
                        : null);
    }

    /** A limit; what isn't there is null in the answer. */
    private static long limit(JsonNode json, String name) {
        return json.path(name).asLong(-1);
    }

    private static String upper(JsonNode word) {
        return word.asString().toUpperCase(Locale.ROOT);
    }
}
