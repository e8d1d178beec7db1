package io.sluicemq.embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluicemq.junit.SluiceMQExtension;
import io.sluicemq.server.SluiceMQ;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoginTest {

    @RegisterExtension
    static final SluiceMQExtension BROKER =
            SluiceMQExtension.with(options -> options.virtualHosts("orders").user("shop", "secret"));

    @Test
    void shouldLogIn(SluiceMQ broker) throws Exception {
        new Shop(broker.amqpUri("shop", "secret", "orders")).order("one tea");
        assertEquals(1, broker.counters().readyMessages());
    }
}
