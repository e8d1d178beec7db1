package io.sluicemq.interop.amqp10;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.Lab;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;

/**
 * Fills a queue by AMQP 0-9-1, whose publisher needs nobody's leave, with many messages a write: the clients flush each, which
 * takes longer than what the tests are about. The caller's thread writes.
 */
final class ManyMessages {

    /** The property in which each message has its number, from 0. */
    static final String NUMBER = "n";

    private static final int CHANNEL = 1;
    private static final int AT_A_TIME = 1_000;

    private ManyMessages() {}

    /** Publishes numbered messages without a body. */
    static void publish(Lab lab, String queue, int count) throws IOException {
        RawAmqp raw = lab.raw();
        raw.openChannel(CHANNEL);
        byte[] publish = RawAmqp.bytes(
                CHANNEL, new AMQP.Basic.Publish.Builder().exchange("").routingKey(queue).build());
        ByteArrayOutputStream batch = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            batch.writeBytes(publish);
            batch.writeBytes(RawAmqp.bytes(new BasicProperties.Builder().headers(Map.of(NUMBER, i)).build()
                    .toFrame(CHANNEL, 0)));
            if ((i + 1) % AT_A_TIME == 0 || i + 1 == count) {
                raw.send(batch.toByteArray());
                batch.reset();
            }
        }
    }
}
