package io.sluicemq.interop.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.base.Quota;
import io.sluicemq.server.SluiceMQ;
import jakarta.jms.JMSException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much users and virtual hosts may have open. */
class LimitsOfUsersTest {

    @TempDir
    private static Path folder;

    private static SecuredBroker broker;

    @BeforeAll
    static void start() {
        broker = new SecuredBroker(folder);
        broker.grant("#", "#", "#");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void limit(long connections, long channels) {
        broker.users().put(
                SecuredBroker.ANN, new UserChange(null, null, null, new UserLimits(connections, channels)), "the test");
    }

    private static void awaitNone() {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> broker.broker.counters().connections() == 0);
    }

    @Test
    void shouldRefuseOneConnectionTooManyByEachProtocol() throws Exception {
        limit(1, Quota.UNLIMITED);
        try (Connection first = broker.rabbit(SecuredBroker.ANN)) {
            assertThatThrownBy(() -> broker.rabbit(SecuredBroker.ANN)).isInstanceOf(IOException.class)
                    .hasStackTraceContaining("connections limit (1) is reached: 'ann'");
            assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN)).isInstanceOf(JMSException.class)
                    .hasMessageContaining("the limit of 1 connections of 'ann' is reached");
            broker.rabbit(SecuredBroker.BOSS).close();
            limit(2, Quota.UNLIMITED);
            broker.rabbit(SecuredBroker.ANN).close();
            assertThat(first.isOpen()).isTrue();
        }
        awaitNone();
        broker.jms(SecuredBroker.ANN).close();
        awaitNone();
    }

    @Test
    void shouldRefuseOneChannelTooManyOfAllConnectionsTogether() throws Exception {
        limit(Quota.UNLIMITED, 2);
        Connection first = broker.rabbit(SecuredBroker.ANN);
        try (Connection second = broker.rabbit(SecuredBroker.ANN)) {
            first.createChannel();
            Channel other = second.createChannel();
            assertThatThrownBy(first::createChannel).isInstanceOf(IOException.class)
                    .hasStackTraceContaining("channels limit (2) is reached: 'ann'");
            other.close();
            second.createChannel().close();
        } finally {
            first.abort(1_000); // its client may or may not have noticed that it is closed
            awaitNone();
            limit(Quota.UNLIMITED, Quota.UNLIMITED);
        }
    }

    @Test
    void shouldKeepAVirtualHostWithinItsLimits() throws Exception {
        Path config = folder.resolve("limits.yaml");
        Files.writeString(config, "virtual-host-limits: [{name: /, max-connections: 1, max-queues: 2}]");
        try (SluiceMQ limited = SluiceMQ.builder().config(config).port(0).start()) {
            var factory = broker.rabbit("guest", "guest");
            factory.setPort(limited.amqpPort());
            try (Connection first = factory.newConnection()) {
                assertThatThrownBy(factory::newConnection).hasStackTraceContaining("connections limit (1) is reached");
                Channel channel = first.createChannel();
                channel.queueDeclare("a", false, false, false, null);
                channel.queueDeclare("b", false, false, false, null);
                channel.queueDeclare("b", false, false, false, null);
                assertThatThrownBy(() -> channel.queueDeclare("c", false, false, false, null))
                        .hasStackTraceContaining("reply-code=406")
                        .hasStackTraceContaining("queues limit (2) is reached");
                Channel another = first.createChannel();
                another.queueDelete("a");
                another.queueDeclare("c", false, false, false, null);

                Files.writeString(config, "virtual-host-limits: [{name: /, max-connections: 5}]");
                assertThat(limited.reload().applied()).containsExactly("virtual-host-limits");
                another.queueDeclare("d", false, false, false, null);
                factory.newConnection().close();
                assertThat(limited.counters().refusedByUserLimit()).isEqualTo(2);
            }
        }
    }
}
