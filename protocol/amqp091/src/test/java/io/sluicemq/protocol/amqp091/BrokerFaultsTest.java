package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ProtocolFault;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every refusal of the broker's in the code and words that RabbitMQ's users know. */
class BrokerFaultsTest {

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(
                        new BrokerError.NotFound(Kind.QUEUE, "q", "/"), "404 NOT_FOUND - no queue 'q' in vhost '/'"),
                Arguments.of(
                        new BrokerError.NotFound(Kind.EXCHANGE, "e", "v"),
                        "404 NOT_FOUND - no exchange 'e' in vhost 'v'"),
                Arguments.of(
                        new BrokerError.NotFound(Kind.VIRTUAL_HOST, "v", "v"), "530 NOT_ALLOWED - vhost v not found"),
                Arguments.of(
                        new BrokerError.Inequivalent(Kind.QUEUE, "q", "/", "durable", "'false'", "'true'"),
                        "406 PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'q' in vhost '/': received"
                                + " 'false' but current is 'true'"),
                Arguments.of(
                        new BrokerError.Inequivalent(
                                Kind.QUEUE, "q", "/", "x-expires", "the value '5' of type 'longstr'", "none"),
                        "406 PRECONDITION_FAILED - inequivalent arg 'x-expires' for queue 'q' in vhost '/': received"
                                + " the value '5' of type 'longstr' but current is none"),
                Arguments.of(
                        new BrokerError.ExclusiveUse("q", "/"),
                        "403 ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use"),
                Arguments.of(
                        new BrokerError.InUse(Kind.QUEUE, "q", "/"),
                        "406 PRECONDITION_FAILED - queue 'q' in vhost '/' in use"),
                Arguments.of(
                        new BrokerError.NotEmpty("q", "/"),
                        "406 PRECONDITION_FAILED - queue 'q' in vhost '/' not empty"),
                Arguments.of(
                        new BrokerError.InvalidArgument(Kind.QUEUE, "q", "/", "x-message-ttl", "negative"),
                        "406 PRECONDITION_FAILED - invalid arg 'x-message-ttl' for queue 'q' in vhost '/': negative"),
                Arguments.of(
                        new BrokerError.NotAllowed(Kind.EXCHANGE, "e", "/", "it is predeclared"),
                        "403 ACCESS_REFUSED - exchange 'e' in vhost '/': it is predeclared"),
                Arguments.of(
                        new BrokerError.AccessRefused("u", Kind.QUEUE, "q", "/", ""),
                        "403 ACCESS_REFUSED - access to queue 'q' in vhost '/' refused for user 'u'"),
                Arguments.of(
                        new BrokerError.AccessRefused("u", Kind.VIRTUAL_HOST, "v", "v", ""),
                        "530 NOT_ALLOWED - access to vhost 'v' refused for user 'u'"),
                Arguments.of(
                        new BrokerError.LimitReached("messages in queue", "q", "/", 5),
                        "406 PRECONDITION_FAILED - messages in queue limit (5) is reached: 'q' in vhost '/'"),
                Arguments.of(
                        new BrokerError.UnknownExchangeType("e", "t"),
                        "503 COMMAND_INVALID - unknown exchange type 't'"),
                Arguments.of(
                        new BrokerError.Unavailable("the broker stops"), "506 RESOURCE_ERROR - the broker stops"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void shouldSayItAsUsersKnowIt(BrokerError error, String expected) {
        ProtocolFault fault = BrokerFaults.of(error, MethodId.QUEUE_DECLARE);
        assertThat(fault.code().code() + " " + BrokerFaults.replyText(fault)).isEqualTo(expected);
        assertThat(fault.classId()).isEqualTo(50);
        assertThat(fault.methodId()).isEqualTo(10);
    }

    @Test
    void shouldSayWhyAQueueIsLocked() {
        ProtocolFault fault = BrokerFaults.of(new BrokerError.Locked("q", "/"), MethodId.BASIC_CONSUME);
        assertThat(BrokerFaults.replyText(fault))
                .isEqualTo("RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'q' in vhost '/'. It could"
                        + " be originally declared on another connection or the exclusive property value does not"
                        + " match that of the original declaration.");
        assertThat(fault.code().code()).isEqualTo(405);
    }
}
