package io.sluicemq.interop.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The command-line clients of rabbitmq-c, a client in C. */
@ExtendWith(LabExtension.class)
class AmqpToolsTest {

    @BeforeEach
    void installed() {
        Tool.assumeInstalled("amqp-publish", "amqp-tools");
    }

    private static String run(Lab lab, String input, String program, String... arguments) throws Exception {
        return Tool.run(input, command(lab, program, arguments));
    }

    private static String[] command(Lab lab, String program, String... arguments) {
        String[] command = new String[arguments.length + 3];
        command[0] = program;
        command[1] = "--url=" + Tool.uri(lab.broker());
        command[2] = "--heartbeat=10";
        System.arraycopy(arguments, 0, command, 3, arguments.length);
        return command;
    }

    @Test
    @Spec({"0-9-1 queue.declare", "0-9-1 basic.publish", "0-9-1 basic.get", "0-9-1 queue.delete"})
    void shouldDeclarePublishGetAndDelete(Lab lab) throws Exception {
        String queue = lab.forget(lab.name("tool"));
        assertThat(run(lab, "", "amqp-declare-queue", "--queue=" + queue, "--durable")).isEqualTo(queue + "\n");
        run(lab, "", "amqp-publish", "--routing-key=" + queue, "--persistent", "--content-type=text/plain",
                "--header=a: b", "--body=hello");
        run(lab, "one\ntwo\n", "amqp-publish", "--routing-key=" + queue, "--line-buffered");
        assertThat(run(lab, "", "amqp-get", "--queue=" + queue)).isEqualTo("hello");
        List<GetResponse> left = lab.take(queue);
        assertThat(left).extracting(Lab::text).containsExactly("one\n", "two\n");
        assertThat(run(lab, "", "amqp-delete-queue", "--queue=" + queue)).isEqualTo("0\n");
        assertThat(lab.queueExists(queue)).isFalse();
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldSendPropertiesAndHeaders(Lab lab) throws Exception {
        String queue = lab.queue();
        run(lab, "x".repeat(300_000), "amqp-publish", "--routing-key=" + queue, "--persistent",
                "--content-type=text/plain", "--content-encoding=utf-8", "--reply-to=there", "--header=a: b");
        GetResponse got = lab.take(queue).getFirst();
        assertThat(got.getBody()).hasSize(300_000);
        assertThat(got.getProps().getContentType()).isEqualTo("text/plain");
        assertThat(got.getProps().getContentEncoding()).isEqualTo("utf-8");
        assertThat(got.getProps().getReplyTo()).isEqualTo("there");
        assertThat(got.getProps().getDeliveryMode()).isEqualTo(2);
        assertThat(got.getProps().getHeaders().get("a")).hasToString("b");
    }

    @Test
    @Spec({"0-9-1 basic.consume", "0-9-1 basic.ack", "0-9-1 basic.qos"})
    void shouldConsume(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "1\n", "2\n", "3\n", "4\n");
        String consumed = run(lab, "", "amqp-consume", "--queue=" + queue, "--count=3", "--prefetch-count=1", "cat");
        assertThat(consumed).isEqualTo("1\n2\n3\n");
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(queue) == 1);
        assertThat(lab.drain(queue)).containsExactly("4\n");
    }

    @Test
    @Spec({"0-9-1 queue.bind", "0-9-1 queue.declare exclusive"})
    void shouldConsumeFromAnExchange(Lab lab) throws Exception {
        String topic = lab.exchange("topic", java.util.Map.of());
        try (Tool consumer = Tool.start("", command(lab, "amqp-consume", "--exchange=" + topic, "--routing-key=a.#",
                "--exclusive", "--count=1", "cat"))) {
            await().atMost(Duration.ofSeconds(10)).until(() -> {
                // until its queue is bound, nothing is routed
                lab.publish(topic, "a.b", "found");
                return consumer.ended();
            });
            assertThat(consumer.join()).contains("found");
        }
    }

    @Test
    @Spec("0-9-1 channel.close")
    void shouldSayWhatWasWrong(Lab lab) throws Exception {
        try (Tool getting = Tool.start("", command(lab, "amqp-get", "--queue=nothing"))) {
            assertThat(getting.joinFailed()).contains("NOT_FOUND - no queue 'nothing' in vhost '/'");
        }
    }
}
