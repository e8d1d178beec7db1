package io.sluicemq.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.sluicemq.server.SluiceMQ;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** Runs the classes at its end as tests of their own, and looks at what they have seen. */
class SluiceMQExtensionTest {

    private static final List<String> SEEN = new ArrayList<>();

    @BeforeEach
    void forget() {
        SEEN.clear();
    }

    @Test
    void shouldRunOneBrokerForAllTestsOfAClass() {
        run(OneForAll.class).assertStatistics(events -> events.started(3).succeeded(3));

        assertThat(SEEN).hasSize(3);
        assertThat(SEEN.stream().distinct()).hasSize(1);
        assertStopped(SEEN.getFirst());
    }

    @Test
    void shouldRunABrokerForEachTestAsAnInstanceField() {
        run(OneForEach.class).assertStatistics(events -> events.started(2).succeeded(2));

        assertThat(SEEN.stream().distinct()).hasSize(2);
        SEEN.forEach(SluiceMQExtensionTest::assertStopped);
    }

    @Test
    void shouldStartTheBrokerThatWasAskedFor() {
        run(WithOptions.class).assertStatistics(events -> events.started(1).succeeded(1));
    }

    @Test
    void shouldTellTheCountersWhenATestFails() {
        PrintStream usual = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            run(Failing.class).assertStatistics(events -> events.started(2).failed(1).succeeded(1));
        } finally {
            System.setErr(usual);
        }

        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .filteredOn(line -> line.contains("BrokerCounters"))
                .singleElement()
                .asString()
                .startsWith("failing")
                .contains(" failed; amqp://127.0.0.1:")
                .contains("connections=0")
                .contains("published=0");
    }

    @Test
    void shouldFailTheTestsOfABrokerThatDoesNotStart() {
        EngineExecutionResults results = execute(WrongOptions.class);

        results.testEvents().assertStatistics(events -> events.started(0));
        results.containerEvents().assertStatistics(events -> events.failed(1));
    }

    @Test
    void shouldHaveNoBrokerOutsideTests() {
        assertThatThrownBy(() -> new SluiceMQExtension().broker()).isInstanceOf(IllegalStateException.class);
    }

    private static Events run(Class<?> testClass) {
        return execute(testClass).testEvents();
    }

    private static EngineExecutionResults execute(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute();
    }

    private static void assertStopped(String uri) {
        assertThatThrownBy(() -> connect(uri)).isInstanceOf(ConnectException.class);
    }

    private static Connection connect(String uri) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        return factory.newConnection();
    }

    @ExtendWith(SluiceMQExtension.class)
    static class OneForAll {

        @Test
        void first(SluiceMQ broker) throws Exception {
            connect(broker.amqpUri()).close();
            SEEN.add(broker.amqpUri());
        }

        @Test
        void second(@AmqpUri String text, @AmqpUri URI uri) throws Exception {
            connect(text).close();
            assertThat(uri).hasToString(text);
            SEEN.add(text);
        }

        @Nested
        class Inner {
            @Test
            void third(@AmqpUri String uri) throws Exception {
                connect(uri).close();
                SEEN.add(uri);
            }
        }
    }

    static class OneForEach {

        @RegisterExtension
        final SluiceMQExtension broker = new SluiceMQExtension();

        @Test
        void first() throws Exception {
            connect(broker.amqpUri()).close();
            SEEN.add(broker.amqpUri());
        }

        @Test
        void second(@AmqpUri String uri) {
            assertThat(uri).isEqualTo(broker.amqpUri());
            SEEN.add(uri);
        }
    }

    static class WithOptions {

        @RegisterExtension
        static final SluiceMQExtension BROKER =
                SluiceMQExtension.with(broker -> broker.user("ann", "secret").virtualHosts("orders"));

        @Test
        void only() throws Exception {
            connect(BROKER.broker().amqpUri("ann", "secret", "orders")).close();
        }
    }

    @ExtendWith(SluiceMQExtension.class)
    static class Failing {

        @Test
        void failing() {
            fail("on purpose");
        }

        @Test
        void succeeding() {
            SEEN.add("succeeding");
        }
    }

    static class WrongOptions {

        @RegisterExtension
        static final SluiceMQExtension BROKER = SluiceMQExtension.with(broker -> broker.loops(0));

        @Test
        void never() {
            SEEN.add("never");
        }
    }
}
