package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Routing by headers. */
@ExtendWith(LabExtension.class)
@Spec("0-9-1 §3.1.3.4")
class HeadersExchangeTest {

    static Stream<Arguments> cases() {
        return Stream.of(
                arguments(table("x-match", "all", "a", 1, "b", 2), table("a", 1, "b", 2, "c", 3), true),
                arguments(table("x-match", "all", "a", 1, "b", 2), table("a", 1), false),
                arguments(table("a", 1, "b", 2), table("a", 1), false),
                arguments(table("a", 1, "b", 2), table("a", 1, "b", 2), true),
                arguments(table("x-match", "any", "a", 1, "b", 2), table("b", 2), true),
                arguments(table("x-match", "any", "a", 1, "b", 2), table("b", 3), false),
                arguments(table("x-match", "any", "a", 1), table(), false),
                arguments(table("x-match", "all", "a", "x"), table("a", "x"), true),
                arguments(table("x-match", "all", "a", "x"), table("a", "X"), false),
                arguments(table("x-match", "all", "a", true), table("a", true), true),
                arguments(table("x-match", "all", "a", true), table("a", false), false),
                arguments(table("x-match", "all", "a", null), table("a", 7), true),
                arguments(table("x-match", "all", "a", null), table("b", 7), false),
                arguments(table("x-match", "all", "a", 1.5), table("a", 1.5), true),
                arguments(table("x-match", "all", "a", new Date(5_000)), table("a", new Date(5_000)), true),
                arguments(table("x-match", "all", "a", List.of(1, "x")), table("a", List.of(1, "x")), true),
                arguments(table("x-match", "all", "a", List.of(1, "x")), table("a", List.of(1, "y")), false),
                arguments(table("x-match", "all", "a", Map.of("n", 1)), table("a", Map.of("n", 1)), true),
                // headers that start with x- are left out, unless asked for
                arguments(table("x-match", "all", "x-a", 1, "b", 2), table("b", 2), true),
                arguments(table("x-match", "any", "x-a", 1), table("x-a", 1), false),
                arguments(table("x-match", "all-with-x", "x-a", 1, "b", 2), table("b", 2), false),
                arguments(table("x-match", "all-with-x", "x-a", 1, "b", 2), table("b", 2, "x-a", 1), true),
                arguments(table("x-match", "any-with-x", "x-a", 1, "b", 2), table("x-a", 1), true),
                arguments(table("x-match", "any-with-x", "x-a", 1, "b", 2), table("x-a", 2), false),
                // no criteria
                arguments(table("x-match", "all"), table("a", 1), true),
                arguments(table("x-match", "all"), table(), true),
                arguments(table(), table("a", 1), true),
                arguments(table("x-match", "any"), table("a", 1), false));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldMatch(Map<String, Object> binding, Map<String, Object> headers, boolean matches, Lab lab)
            throws Exception {
        String exchange = lab.exchange(BuiltinExchangeType.HEADERS);
        String queue = lab.queue();
        lab.bind(queue, exchange, "ignored", binding);
        lab.publish(exchange, "k", new BasicProperties.Builder().headers(headers).build(), "m");
        assertThat(lab.depth(queue)).isEqualTo(matches ? 1 : 0);
    }

    @Test
    void shouldMatchAMessageWithoutHeaders(Lab lab) throws Exception {
        String exchange = lab.exchange(BuiltinExchangeType.HEADERS);
        String none = lab.queue();
        lab.bind(none, exchange, "", table("x-match", "all"));
        String some = lab.queue();
        lab.bind(some, exchange, "", table("x-match", "all", "a", 1));
        lab.publish(exchange, "", "m");
        assertThat(lab.depth(none)).isEqualTo(1);
        assertThat(lab.depth(some)).isZero();
    }

    @Test
    @BeyondRabbitMq("tells integers of different width apart, which no publisher chooses knowingly")
    void shouldTakeIntegersOfAnyWidthAsEqual(Lab lab) throws Exception {
        String exchange = lab.exchange(BuiltinExchangeType.HEADERS);
        String queue = lab.queue();
        lab.bind(queue, exchange, "", table("x-match", "all", "a", 1));
        for (Object one : List.of((byte) 1, (short) 1, 1, 1L)) {
            lab.publish(exchange, "", new BasicProperties.Builder().headers(table("a", one)).build(), "m");
        }
        assertThat(lab.depth(queue)).isEqualTo(4);
    }

    @Test
    void shouldTellBindingsApartByTheirArguments(Lab lab) throws Exception {
        String exchange = lab.exchange(BuiltinExchangeType.HEADERS);
        String queue = lab.queue();
        lab.bind(queue, exchange, "", table("x-match", "all", "a", 1));
        lab.bind(queue, exchange, "", table("x-match", "all", "a", 2));
        Channel channel = lab.channel();
        channel.queueUnbind(queue, exchange, "", table("x-match", "all", "a", 1));
        lab.publish(exchange, "", new BasicProperties.Builder().headers(table("a", 1)).build(), "1");
        lab.publish(exchange, "", new BasicProperties.Builder().headers(table("a", 2)).build(), "2");
        assertThat(lab.drain(queue)).containsExactly("2");
    }

    @Test
    void shouldRefuseAnUnknownMatch(Lab lab) throws Exception {
        String exchange = lab.exchange(BuiltinExchangeType.HEADERS);
        String queue = lab.queue();
        Channel channel = lab.channel();
        Refusal refusal = Refusal.of(() -> channel.queueBind(queue, exchange, "", table("x-match", "most")));
        assertThat(refusal.connection()).isFalse();
        assertThat(refusal.code()).isEqualTo(406);
        assertThat(refusal.text()).startsWith("PRECONDITION_FAILED - ").contains("x-match", "most", "any-with-x");
        assertThat(refusal.method()).isEqualTo("50.20");
    }
}
