package io.sluicemq.broker.journal;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import java.util.List;
import java.util.Map;

/** A format that is nothing but a name. */
record NamedFormat(String name) implements MessageFormat {

    static final MessageFormat AMQP = new NamedFormat("amqp-0-9-1");

    /** The one format there is, by its name. */
    static MessageFormat find(String name) {
        return name.equals(AMQP.name()) ? AMQP : null;
    }

    @Override
    public Map<String, Object> headers(Message message) {
        return Map.of();
    }

    @Override
    public List<Death> claimedDeaths(Message message) {
        return List.of();
    }

    @Override
    public String group(Message message) {
        return new String(message.header(), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Override
    public String originalExpiration(Message message) {
        return null;
    }
}
