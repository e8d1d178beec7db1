package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Queues that prefer some messages. */
@ExtendWith(LabExtension.class)
@Spec("RabbitMQ x-max-priority")
class PrioritiesTest {

    private static BasicProperties priority(Integer priority) {
        return new BasicProperties.Builder().priority(priority).build();
    }

    @Test
    void shouldDeliverByPriorityAndThenByAge(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-priority", 5));
        for (int i = 0; i < 12; i++) {
            lab.send(queue, priority(i % 4), i % 4 + "-" + i);
        }
        lab.send(queue, "0-none");
        lab.send(queue, priority(200), "5-most");
        lab.send(queue, priority(5), "5-last");
        assertThat(lab.drain(queue)).containsExactly("5-most", "5-last", "3-3", "3-7", "3-11", "2-2", "2-6", "2-10",
                "1-1",
                "1-5", "1-9", "0-0", "0-4", "0-8", "0-none");
    }

    @Test
    void shouldIgnorePriorityOnOtherQueues(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, priority(1), "1");
        lab.send(queue, priority(9), "2");
        List<GetResponse> got = lab.take(queue);
        assertThat(got).extracting(Lab::text).containsExactly("1", "2");
        assertThat(got.get(1).getProps().getPriority()).isEqualTo(9);
    }

    @Test
    void shouldReturnRequeuedMessagesToTheirPlace(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-priority", 2));
        for (String body : List.of("0a", "0b", "1a", "1b", "2a")) {
            lab.send(queue, priority(body.charAt(0) - '0'), body);
        }
        Channel channel = lab.channel();
        List<Long> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(channel.basicGet(queue, false).getEnvelope().getDeliveryTag());
        }
        for (long tag : held.reversed()) {
            channel.basicNack(tag, false, true);
        }
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("2a", "1a", "1b", "0a", "0b");
    }

    @Test
    @BeyondRabbitMq("drops the most important, and warns of it")
    void shouldDropTheLeastImportantAboveTheMaximumLength(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-priority", 2, "x-max-length", 2));
        lab.send(queue, priority(2), "2");
        lab.send(queue, priority(0), "0");
        lab.send(queue, priority(1), "1");
        assertThat(lab.drain(queue)).containsExactly("2", "1");
    }
}
