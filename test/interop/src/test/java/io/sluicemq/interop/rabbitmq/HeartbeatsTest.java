package io.sluicemq.interop.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.impl.Frame;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How both ends know that the other is alive, at the shortest interval there is: a second. */
@ExtendWith(LabExtension.class)
class HeartbeatsTest {

    @Test
    @Spec("0-9-1 §4.2.7")
    void shouldSendHeartbeatsAndAcceptThem(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.authenticate(lab.broker());
            raw.tuneAndOpen(lab.broker(), 10, 4096, 1);
            Frame heartbeat = RawAmqp.frame(AMQP.FRAME_HEARTBEAT, 0);
            for (int i = 0; i < 3; i++) {
                raw.send(heartbeat);
                Frame frame = raw.read();
                assertThat(frame.getType()).isEqualTo(AMQP.FRAME_HEARTBEAT);
                assertThat(frame.getChannel()).isZero();
            }
            raw.openChannel(1);
        }
    }

    @Test
    @Spec("0-9-1 §4.2.7")
    void shouldCloseAConnectionThatSendsNoHeartbeat(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.authenticate(lab.broker());
            raw.tuneAndOpen(lab.broker(), 10, 4096, 1);
            long silentSince = System.nanoTime();
            // heartbeats come from the broker, also when it hears nothing, until it gives the client up
            for (Frame frame = raw.read(); frame != null; frame = raw.read()) {
                assertThat(frame.getType()).isEqualTo(AMQP.FRAME_HEARTBEAT);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - silentSince)).isBetween(Duration.ofMillis(1_500),
                    Duration.ofMillis(4_500));
        }
    }

    @Test
    @Spec("0-9-1 §4.2.7")
    void shouldKeepAnIdleConnectionOfTheClientAlive(Lab lab) throws Exception {
        Connection connection = lab.connect(factory -> factory.setRequestedHeartbeat(1));
        Channel channel = connection.createChannel();
        await().during(Duration.ofMillis(2_600)).atMost(Duration.ofSeconds(4)).until(connection::isOpen);
        channel.exchangeDeclarePassive("amq.direct");
    }

    @Test
    @Spec("0-9-1 §4.2.7")
    void shouldSendHeartbeatsAlsoWhileTheClientSendsMuch(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.authenticate(lab.broker());
            raw.tuneAndOpen(lab.broker(), 10, 131_072, 1);
            raw.openChannel(1);
            raw.readTimeout(50);
            int heartbeats = 0;
            long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            while (heartbeats < 2 && System.nanoTime() < end) {
                for (int i = 0; i < 100; i++) {
                    raw.publish(1, "nowhere", "m");
                }
                try {
                    heartbeats += raw.read().getType() == AMQP.FRAME_HEARTBEAT ? 1 : 0;
                } catch (java.net.SocketTimeoutException e) {
                    // nothing yet: publish on
                }
            }
            assertThat(heartbeats).isEqualTo(2);
        }
    }
}
