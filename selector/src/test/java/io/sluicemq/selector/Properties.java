package io.sluicemq.selector;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import java.util.List;
import java.util.Map;

/** A format whose messages have the properties that a test gives it. */
record Properties(Map<String, Object> headers) implements MessageFormat {

    static Message message(Map<String, Object> headers) {
        return new Message(
                new Properties(headers), "", "q", List.of(), new byte[0], new byte[0], false, 0, Message.NO_TTL, null);
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public Map<String, Object> headers(Message message) {
        return headers;
    }

    @Override
    public List<Death> claimedDeaths(Message message) {
        return List.of();
    }

    @Override
    public String originalExpiration(Message message) {
        return null;
    }
}
