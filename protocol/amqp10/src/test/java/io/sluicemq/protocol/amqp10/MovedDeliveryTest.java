package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Delivery;
import io.sluicemq.testkit.ManualLoops;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class MovedDeliveryTest {

    /** A transaction is one record with all that it accepts, for which it has to know the queue's own deliveries. */
    @Test
    void shouldStandForTheQueuesOwn() {
        Delivery own = (Delivery) Proxy.newProxyInstance(
                Delivery.class.getClassLoader(), new Class<?>[] {Delivery.class},
                (proxy, method, arguments) -> method.getName().equals("origin") ? proxy : null);
        ManualLoops loops = new ManualLoops(2);
        assertThat(new MovedDelivery(loops.get(0), loops.get(1), own, () -> null).origin()).isSameAs(own);
    }
}
