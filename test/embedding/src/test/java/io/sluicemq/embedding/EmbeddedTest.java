package io.sluicemq.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.StartFailure;
import io.sluicemq.server.config.LimitsSection;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of a broker inside an application. */
class EmbeddedTest {

    @TempDir
    Path folder;

    @Test
    void shouldRunInsideAnApplication() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).start()) {
            Shop shop = new Shop(broker.amqpUri());
            shop.order("two espressos");
            System.out.println(shop.next() + " at " + broker.amqpUri());
        }
    }

    @Test
    void shouldTakeLimitsOfAddresses() {
        SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .addressSettings(
                        AddressSetting.match("orders.#").maxSizeBytes(10 << 20).fullPolicy(FullPolicy.BLOCK),
                        AddressSetting.match("news").maxMessages(1000).fullPolicy(FullPolicy.RING))
                .virtualHostLimit("/", 1L << 30, null)
                .start();
        broker.addressSettings(List.of(AddressSetting.match("orders.#").maxSizeBytes(20 << 20)));

        assertThat(broker.addressStates()).allSatisfy(state -> assertThat(state.waiting()).isEmpty());
        broker.stop();
        assertThatThrownBy(() -> broker.addressSettings(List.of())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldTakeOptions() throws Exception {
        SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .data(folder.resolve("broker"))
                .virtualHosts("/", "orders")
                .user("ann", "a good password")
                .user("shop", "another one", Set.of("orders"))
                .limit(LimitsSection.MAX_MESSAGE_SIZE, 1L << 20)
                .limit(LimitsSection.MESSAGE_MEMORY, 64L << 20)
                .start();
        Shop shop = new Shop(broker.amqpUri("shop", "another one", "orders"));
        shop.order("one tea");
        broker.stop();

        assertThat(folder.resolve("broker/sluicemq.format")).exists();
        assertThatThrownBy(() -> shop.order("another")).isInstanceOf(java.io.IOException.class);
        assertThatThrownBy(() -> SluiceMQ.builder().port(-1).start()).isInstanceOf(StartFailure.class);
    }
}
