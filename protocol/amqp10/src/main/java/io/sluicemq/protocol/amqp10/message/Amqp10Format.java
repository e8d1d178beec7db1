package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.PortableMessage;
import java.util.List;
import java.util.Map;

/**
 * How to read a message whose header holds the sections of AMQP 1.0 before the body, without delivery-annotations, and whose
 * body those from there on, as {@link IncomingMessage} has checked them. Stateless.
 */
public final class Amqp10Format implements MessageFormat {

    /** The one instance. */
    public static final Amqp10Format INSTANCE = new Amqp10Format();

    private Amqp10Format() {}

    @Override
    public String name() {
        return "amqp-1-0";
    }

    @Override
    public Map<String, Object> headers(Message message) {
        int map = Encoded.findSection(message.header(), Section.APPLICATION_PROPERTIES);
        return map < 0 ? Map.of() : Values.named(message.header(), map);
    }

    @Override
    public List<Death> claimedDeaths(Message message) {
        byte[] header = message.header();
        return DeathAnnotations.claimed(header, Encoded.findSection(header, Section.MESSAGE_ANNOTATIONS));
    }

    @Override
    public String originalExpiration(Message message) {
        byte[] header = message.header();
        int list = Encoded.findSection(header, Section.HEADER);
        int at = list < 0 ? -1 : Encoded.field(header, list, Section.TTL);
        return at < 0 ? null : Long.toString(Encoded.integer(header, at));
    }

    @Override
    public String group(Message message) {
        byte[] header = message.header();
        int list = Encoded.findSection(header, Section.PROPERTIES);
        int at = list < 0 ? -1 : Encoded.field(header, list, Section.GROUP_ID);
        return at < 0 ? null : Encoded.text(header, at);
    }

    @Override
    public Object selectable(Message message, String identifier) {
        return Selectable.of(message, identifier);
    }

    @Override
    public PortableMessage portable(Message message) {
        return ToPortable.of(message);
    }
}
