package io.sluicemq.protocol.amqp10.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.value.UnsignedInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;

/** What a delivery adds to a message (part 3 §3.2.1). */
final class OutgoingMessageTest {

    private static final long NOW = 1_700_000_000_000L;

    private static byte[] sent(Delivery delivery) {
        return MessageProperties.sent(new OutgoingMessage().of(delivery, NOW));
    }

    private static Message message(Sections sections) throws MessageFault {
        return MessageProperties.read(sections.bytes());
    }

    @Test
    void shouldSayHowOftenItWasDeliveredInVain() throws MessageFault {
        Message message = message(Sections.none().header(true, new UnsignedInteger.OfByte(9)).data());

        Header header = ProtonReader.find(sent(new FakeDelivery(message, true, 300, Delivery.NEVER)), Header.class);

        assertThat(header.getDeliveryCount()).isEqualTo(300);
        assertThat(header.isFirstAcquirer()).isFalse();
        assertThat(header.isDurable()).isTrue();
        assertThat(header.getPriority()).isEqualTo((byte) 9);
        assertThat(header.hasTimeToLive()).isFalse();
    }

    @Test
    void shouldSayWhatIsLeftOfTheTimeToLive() throws MessageFault {
        Message message = message(Sections.none().header(true, null, new UnsignedInteger.OfInt(3_000_000_000L)).data());

        Header header =
                ProtonReader.find(sent(new FakeDelivery(message, false, 0, NOW + 2_999_999_000L)), Header.class);
        Header late = ProtonReader.find(sent(new FakeDelivery(message, false, 0, NOW - 1)), Header.class);

        assertThat(header.getTimeToLive()).isEqualTo(2_999_999_000L);
        assertThat(header.hasPriority()).isFalse();
        assertThat(late.getTimeToLive()).isZero();
    }

    @Test
    void shouldPutTheHistoryIntoTheAnnotationsAndLetReceiversKeepWhatHasExpired() throws MessageFault {
        Message message = message(Sections.none()
                .header(true, null, new UnsignedInteger.OfInt(1000))
                .annotations(Map.of("x-opt-a", 1, "x-first-death-queue", "claimed"))
                .properties("id", null, null, "s", null, null, null, null, Instant.ofEpochMilli(NOW - 5), null, "g")
                .headers(Map.of("h", 1))
                .data((byte) 5))
                .afterDeath(
                        "dlx",
                        "k",
                        List.of(),
                        List.of(new Death("q", Death.Reason.EXPIRED, 2, NOW, "ex", List.of("rk", "cc"), "1000")));

        byte[] sent = sent(FakeDelivery.first(message));

        assertThat(ProtonReader.find(sent, Header.class).hasTimeToLive()).isFalse();
        Map<Symbol, Object> annotations = ProtonReader.find(sent, MessageAnnotations.class).getValue();
        assertThat(annotations)
                .containsEntry(Symbol.valueOf("x-opt-a"), 1)
                .containsEntry(Symbol.valueOf("x-first-death-queue"), "q")
                .containsEntry(Symbol.valueOf("x-last-death-reason"), "expired");
        Map<?, ?> death = (Map<?, ?>) ((Object[]) annotations.get(Symbol.valueOf("x-opt-deaths")))[0];
        assertThat(death.get(Symbol.valueOf("queue"))).isEqualTo("q");
        assertThat(death.get(Symbol.valueOf("reason"))).isEqualTo(Symbol.valueOf("expired"));
        assertThat((Object[]) death.get(Symbol.valueOf("routing-keys"))).containsExactly("rk", "cc");
        Properties properties = ProtonReader.find(sent, Properties.class);
        assertThat(properties.hasAbsoluteExpiryTime()).isFalse();
        assertThat(properties.getMessageId()).isEqualTo("id");
        assertThat(properties.getGroupId()).isEqualTo("g");
        assertThat(sent).endsWith(Sections.none().headers(Map.of("h", 1)).data((byte) 5).bytes());
    }

    /** Whoever sends on what he received claims its history. */
    @Test
    void shouldReadAHistoryAgain() throws MessageFault {
        Death death = new Death("q", Death.Reason.DELIVERY_LIMIT, 3, NOW, "ex", List.of("rk"), "77");
        Message dead = message(Sections.none().data()).afterDeath("", "k", List.of(), List.of(death));

        Message again = MessageProperties.read(sent(FakeDelivery.first(dead)));

        assertThat(Amqp10Format.INSTANCE.claimedDeaths(again))
                .containsExactly(new Death("q", Death.Reason.DELIVERY_LIMIT, 3, NOW, "ex", List.of("rk"), "77", true));
    }
}
