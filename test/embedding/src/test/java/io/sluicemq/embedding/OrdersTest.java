package io.sluicemq.embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluicemq.junit.AmqpUri;
import io.sluicemq.junit.SluiceMQExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SluiceMQExtension.class)
class OrdersTest {

    @Test
    void shouldTakeAnOrder(@AmqpUri String uri) throws Exception {
        Shop shop = new Shop(uri);
        shop.order("one tea");
        assertEquals("one tea", shop.next());
    }
}
