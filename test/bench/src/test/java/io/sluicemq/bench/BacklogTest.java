package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.junit.AmqpUri;
import io.sluicemq.junit.SluiceMQExtension;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SluiceMQExtension.class)
class BacklogTest {

    private static final int QUEUES = 3;
    private static final String FIRST_QUEUE = "sluicemq-backlog-0";

    private Connection connection;
    private Channel channel;
    private Backlog backlog;

    @BeforeEach
    void declare(@AmqpUri String uri) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        connection = factory.newConnection();
        channel = connection.createChannel();
        backlog = new Backlog(URI.create(uri).getPort(), QUEUES, 100, 50);
        backlog.declare();
    }

    @AfterEach
    void delete() throws Exception {
        for (int i = 0; i < QUEUES; i++) {
            channel.queueDelete("sluicemq-backlog-" + i);
        }
        connection.close();
    }

    @Test
    void shouldDrainWhatItFilledInTwoPartsAndLeaveNothing() throws Exception {
        List<Long> told = new ArrayList<>();

        Backlog.Pace first = backlog.fill(0, 1000, told::add);
        backlog.fill(1000, 1777, told::add);
        long depth = backlog.depth();
        Backlog.Pace drained = backlog.drain(1777, told::add);

        assertThat(first.messages()).isEqualTo(1000);
        assertThat(depth).isEqualTo(1777);
        assertThat(drained.messages()).isEqualTo(1777);
        assertThat(drained.perSecond()).isPositive();
        assertThat(drained.slowestPerSecond()).isPositive().isLessThanOrEqualTo(drained.perSecond());
        assertThat(backlog.depth()).isZero();
    }

    @Test
    void shouldFindALostMessage() throws Exception {
        backlog.fill(0, 60, count -> {});
        channel.basicGet(FIRST_QUEUE, true);

        assertThatThrownBy(() -> backlog.drain(60, count -> {}))
                .isInstanceOf(PeerFailure.class)
                .hasMessage("sluicemq-backlog-0 gave message 3, where 0 was due");
    }

    @Test
    void shouldFindAMessageThatComesTwice() throws Exception {
        backlog.fill(0, 3, count -> {});
        GetResponse message = channel.basicGet(FIRST_QUEUE, true);
        channel.basicPublish("", FIRST_QUEUE, null, message.getBody());
        channel.basicPublish("", FIRST_QUEUE, null, message.getBody());

        assertThatThrownBy(() -> backlog.drain(6, count -> {}))
                .isInstanceOf(PeerFailure.class)
                .hasMessage("sluicemq-backlog-0 gave message 0, where 3 was due");
    }

    @Test
    void shouldFindADamagedMessage() throws Exception {
        byte[] body = new byte[100];
        ByteBuffer.wrap(body).putLong(0, 0);
        channel.basicPublish("", FIRST_QUEUE, null, body);

        assertThatThrownBy(() -> backlog.drain(1, count -> {}))
                .isInstanceOf(PeerFailure.class)
                .hasMessage("a message of sluicemq-backlog-0 is damaged, where 0 was due");
    }

    @Test
    void shouldFindMoreThanWasPublished() throws Exception {
        backlog.fill(0, 4, count -> {});

        assertThatThrownBy(() -> backlog.drain(3, count -> {}))
                .isInstanceOf(PeerFailure.class)
                .hasMessageContaining("left");
    }

    @Test
    void shouldSayThatAQueueIsGone() throws Exception {
        channel.queueDelete(FIRST_QUEUE);

        assertThatThrownBy(() -> backlog.depth())
                .isInstanceOf(PeerFailure.class)
                .hasMessageStartingWith("a queue is not there: 404");
        channel.queueDeclare(FIRST_QUEUE, true, false, false, null);
    }
}
