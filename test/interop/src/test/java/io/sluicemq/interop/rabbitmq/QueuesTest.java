package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Declaring, purging and deleting queues, and how long they live. */
@ExtendWith(LabExtension.class)
class QueuesTest {

    private static String inequivalent(String queue, String difference) {
        return "PRECONDITION_FAILED - inequivalent arg "
                + difference.replace("$", "for queue '" + queue + "' in vhost '/':");
    }

    @Test
    @Spec({"0-9-1 queue.declare", "0-9-1 queue.declare passive"})
    void shouldAnswerDeclarationsWithNameAndNumbers(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String queue = lab.forget(lab.name("q"));
        AMQP.Queue.DeclareOk fresh = channel.queueDeclare(queue, false, false, false, null);
        assertThat(fresh.getQueue()).isEqualTo(queue);
        assertThat(fresh.getMessageCount()).isZero();
        assertThat(fresh.getConsumerCount()).isZero();
        lab.send(queue, "1", "2", "3");
        channel.basicGet(queue, false);
        Channel consuming = lab.channel();
        consuming.basicQos(1);
        Lab.consume(consuming, queue, false).next();
        AMQP.Queue.DeclareOk later = channel.queueDeclarePassive(queue);
        assertThat(later.getMessageCount()).as("ready ones only").isEqualTo(1);
        assertThat(later.getConsumerCount()).isEqualTo(1);
        AMQP.Queue.DeclareOk again = channel.queueDeclare(queue, false, false, false, null);
        assertThat(again.getMessageCount()).isEqualTo(1);
        assertThat(again.getConsumerCount()).isEqualTo(1);
        assertThat(channel.messageCount(queue)).isEqualTo(1);
        assertThat(channel.consumerCount(queue)).isEqualTo(1);
    }

    @Test
    @Spec("0-9-1 queue.declare server-named")
    void shouldNameQueuesItself(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String one = channel.queueDeclare().getQueue();
        String two = channel.queueDeclare("", false, true, true, null).getQueue();
        assertThat(one).startsWith("amq.gen-").isNotEqualTo(two);
        assertThat(channel.queueDeclare("", false, true, true, null).getQueue()).isNotIn(one, two);
        // the empty name now means the last one declared on this channel
        channel.queueBind("", "amq.fanout", "");
        channel.basicPublish("amq.fanout", "", null, Lab.bytes("m"));
        GetResponse got = channel.basicGet("", true);
        assertThat(Lab.text(got)).isEqualTo("m");
        assertThat(channel.queuePurge("").getMessageCount()).isZero();
        channel.queueDelete("");
    }

    @Test
    @Spec("0-9-1 queue.declare no previous queue")
    void shouldRefuseTheEmptyNameIfNoQueueWasDeclared(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(() -> channel.queueBind("", "amq.fanout", ""))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no previously declared queue", "50.20"));
        Channel consuming = lab.channel();
        Refusal.of(() -> consuming.basicConsume("", new Mailbox(consuming)))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no previously declared queue", "60.20"));
    }

    @Test
    @Spec("0-9-1 queue.declare reserved names")
    void shouldRefuseReservedNames(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(() -> channel.queueDeclare("amq.mine", false, true, true, null))
                .shouldBe(
                        Refusal.channel(403, "ACCESS_REFUSED - queue name 'amq.mine' contains reserved prefix 'amq.*'",
                                "50.10"));
    }

    @Test
    @Spec("0-9-1 queue.declare not found")
    void shouldRefuseWhatIsNotThere(Lab lab) throws Exception {
        Channel passive = lab.channel();
        Refusal.of(() -> passive.queueDeclarePassive("nothing"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no queue 'nothing' in vhost '/'", "50.10"));
        Channel purging = lab.channel();
        Refusal.of(() -> purging.queuePurge("nothing"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no queue 'nothing' in vhost '/'", "50.30"));
        Channel getting = lab.channel();
        Refusal.of(() -> getting.basicGet("nothing", true))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no queue 'nothing' in vhost '/'", "60.70"));
        Channel consuming = lab.channel();
        Refusal.of(() -> consuming.basicConsume("nothing", new Mailbox(consuming)))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no queue 'nothing' in vhost '/'", "60.20"));
        assertThat(lab.channel().queueDelete("nothing").getMessageCount()).as("deleting nothing is done").isZero();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"false, false, 'durable' $ received 'false' but current is 'true'",
        "true, true, 'auto_delete' $ received 'true' but current is 'false'"})
    @Spec("0-9-1 queue.declare equivalence")
    void shouldRefuseToRedeclareOtherwise(boolean durable, boolean autoDelete, String difference, Lab lab)
            throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Refusal.of(() -> channel.queueDeclare(queue, durable, false, autoDelete, null))
                .shouldBe(Refusal.channel(406, inequivalent(queue, difference), "50.10"));
        assertThat(lab.queueExists(queue)).isTrue();
    }

    @Test
    @Spec("0-9-1 queue.declare equivalence of arguments")
    void shouldRefuseOtherArguments(Lab lab) throws Exception {
        String queue = lab.queue(table("x-message-ttl", 60_000));
        Channel other = lab.channel();
        Refusal refusal = Refusal
                .of(() -> other.queueDeclare(queue, true, false, false, table("x-message-ttl", 50_000)));
        refusal.shouldBe(Refusal.channel(406, inequivalent(queue, "'x-message-ttl' $ received "), "50.10"));
        assertThat(refusal.text()).contains("'50000'", "'60000'");
        Channel none = lab.channel();
        Refusal.of(() -> none.queueDeclare(queue, true, false, false, null))
                .shouldBe(Refusal.channel(406, inequivalent(queue,
                        "'x-message-ttl' $ received none but current is the value '60000' of type 'signedint'"),
                        "50.10"));
        String plain = lab.queue();
        Channel more = lab.channel();
        Refusal.of(() -> more.queueDeclare(plain, true, false, false, table("x-max-length", 5)))
                .shouldBe(Refusal.channel(406, inequivalent(plain,
                        "'x-max-length' $ received the value '5' of type 'signedint' but current is none"), "50.10"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-message-ttl", "x-expires", "x-max-length", "x-max-length-bytes", "x-max-priority"})
    @Spec("RabbitMQ queue arguments")
    void shouldRefuseArgumentsThatMakeNoSense(String argument, Lab lab) throws Exception {
        String queue = lab.name("senseless");
        Channel negative = lab.channel();
        Refusal.of(() -> negative.queueDeclare(queue, true, false, false, table(argument, -1)))
                .shouldBe(
                        Refusal.channel(406, "PRECONDITION_FAILED - invalid arg '" + argument + "' for queue '" + queue
                                + "' in vhost '/'", "50.10"));
        Channel text = lab.channel();
        Refusal.of(() -> text.queueDeclare(queue, true, false, false, table(argument, "ten")))
                .shouldBe(
                        Refusal.channel(406, "PRECONDITION_FAILED - invalid arg '" + argument + "' for queue '" + queue
                                + "' in vhost '/'", "50.10"));
        assertThat(lab.queueExists(queue)).isFalse();
    }

    @Test
    @Spec("RabbitMQ queue arguments")
    void shouldRefuseOtherSenselessArguments(Lab lab) throws Exception {
        String queue = lab.name("senseless");
        for (Map<String, Object> arguments : java.util.List.of(table("x-overflow", "explode"), table("x-expires", 0),
                table("x-max-priority", 256), table("x-dead-letter-exchange", 5), table("x-queue-mode", "odd"),
                table("x-dead-letter-routing-key", "key"), table("x-single-active-consumer", "yes"))) {
            Channel channel = lab.channel();
            Refusal refusal = Refusal.of(() -> channel.queueDeclare(queue, true, false, false, arguments));
            assertThat(refusal.code()).as("%s", arguments).isEqualTo(406);
            assertThat(refusal.text()).contains(queue);
            assertThat(refusal.connection()).isFalse();
        }
        assertThat(lab.queueExists(queue)).isFalse();
    }

    @Test
    @Spec("RabbitMQ x-queue-type")
    void shouldKnowQueueTypes(Lab lab) throws Exception {
        lab.queue(table("x-queue-type", "classic"));
        lab.queue(table("x-queue-type", "quorum"));
        String queue = lab.name("strange");
        Channel unknown = lab.channel();
        Refusal refusal =
                Refusal.of(() -> unknown.queueDeclare(queue, true, false, false, table("x-queue-type", "odd")));
        assertThat(refusal.code()).isEqualTo(406);
        assertThat(refusal.text()).startsWith("PRECONDITION_FAILED - ").contains("x-queue-type", queue);
        Channel quorum = lab.channel();
        Refusal transientQuorum = Refusal
                .of(() -> quorum.queueDeclare(queue, false, false, false, table("x-queue-type", "quorum")));
        assertThat(transientQuorum.code()).isEqualTo(406);
        assertThat(transientQuorum.text()).contains("durable", queue);
        assertThat(lab.queueExists(queue)).isFalse();
    }

    @Test
    @Spec("RabbitMQ x-queue-type stream")
    @BeyondRabbitMq("has streams")
    void shouldRefuseStreamsClearly(Lab lab) throws Exception {
        String queue = lab.name("stream");
        Channel channel = lab.channel();
        Refusal refusal =
                Refusal.of(() -> channel.queueDeclare(queue, true, false, false, table("x-queue-type", "stream")));
        assertThat(refusal.connection()).isFalse();
        assertThat(refusal.code()).isIn(406, 540);
        assertThat(refusal.text()).contains("x-queue-type", "stream", queue);
        assertThat(lab.queueExists(queue)).isFalse();
    }

    @Test
    @Spec("0-9-1 queue.declare exclusive")
    void shouldKeepExclusiveQueuesToTheirConnection(Lab lab) throws Exception {
        Connection owner = lab.connect();
        Channel owning = owner.createChannel();
        String queue = lab.name("mine");
        owning.queueDeclare(queue, false, true, false, null);
        String locked = "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '" + queue + "' in vhost '/'";
        Channel declaring = lab.channel();
        Refusal.of(() -> declaring.queueDeclare(queue, false, true, false, null))
                .shouldBe(Refusal.channel(405, locked, "50.10"));
        Channel passive = lab.channel();
        Refusal.of(() -> passive.queueDeclarePassive(queue)).shouldBe(Refusal.channel(405, locked, "50.10"));
        Channel binding = lab.channel();
        Refusal.of(() -> binding.queueBind(queue, "amq.fanout", "")).shouldBe(Refusal.channel(405, locked, "50.20"));
        Channel consuming = lab.channel();
        Refusal.of(() -> consuming.basicConsume(queue, new Mailbox(consuming)))
                .shouldBe(Refusal.channel(405, locked, "60.20"));
        Channel getting = lab.channel();
        Refusal.of(() -> getting.basicGet(queue, true)).shouldBe(Refusal.channel(405, locked, "60.70"));
        Channel purging = lab.channel();
        Refusal.of(() -> purging.queuePurge(queue)).shouldBe(Refusal.channel(405, locked, "50.30"));
        Channel deleting = lab.channel();
        Refusal.of(() -> deleting.queueDelete(queue)).shouldBe(Refusal.channel(405, locked, "50.40"));
        lab.send(queue, "others may publish");
        Channel second = owner.createChannel();
        assertThat(Lab.text(second.basicGet(queue, true))).isEqualTo("others may publish");
        owner.close();
        assertThat(lab.queueExists(queue)).as("gone when close-ok has come").isFalse();
    }

    @Test
    @Spec("0-9-1 queue.declare exclusive")
    void shouldDeleteExclusiveQueuesOfAConnectionThatIsCut(Lab lab) throws Exception {
        Connection owner = lab.connect();
        String queue = owner.createChannel().queueDeclare().getQueue();
        lab.cut(owner);
        await().atMost(Duration.ofSeconds(5)).until(() -> goneOrLocked(lab, queue));
    }

    private static boolean goneOrLocked(Lab lab, String queue) throws Exception {
        Channel channel = lab.channel();
        Refusal refusal = Refusal.of(() -> channel.queueDeclarePassive(queue));
        return refusal.code() == AMQP.NOT_FOUND;
    }

    @Test
    @Spec("0-9-1 queue.declare auto-delete")
    void shouldDeleteAutoDeleteQueuesWithTheirLastConsumer(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String queue = lab.name("fleeting");
        channel.queueDeclare(queue, false, false, true, null);
        lab.send(queue, "m");
        String one = channel.basicConsume(queue, new Mailbox(channel));
        Channel other = lab.channel();
        other.basicConsume(queue, new Mailbox(other));
        channel.basicCancel(one);
        assertThat(lab.queueExists(queue)).isTrue();
        other.close();
        await().atMost(Duration.ofSeconds(5)).until(() -> !lab.queueExists(queue));
        String unused = lab.forget(lab.name("unused"));
        channel.queueDeclare(unused, false, false, true, null);
        channel.basicGet(unused, true);
        assertThat(lab.queueExists(unused)).as("lives until it had a consumer").isTrue();
    }

    @Test
    @Spec("RabbitMQ x-expires")
    void shouldExpireQueuesThatNobodyUses(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String idle = lab.name("idle");
        String consumed = lab.forget(lab.name("consumed"));
        channel.queueDeclare(consumed, true, false, false, table("x-expires", 300));
        String tag = channel.basicConsume(consumed, new Mailbox(channel));
        channel.queueDeclare(idle, true, false, false, table("x-expires", 300));
        lab.send(idle, "is no use");
        // looking at it by a declaration would be one
        await().during(Duration.ofMillis(600)).atMost(Duration.ofSeconds(2)).until(() -> channel.isOpen());
        assertThat(lab.queueExists(idle)).isFalse();
        assertThat(lab.queueExists(consumed)).isTrue();
        channel.basicCancel(tag);
        String watched = lab.name("watched");
        channel.queueDeclare(watched, true, false, false, table("x-expires", 400));
        await().pollInterval(Duration.ofMillis(50)).during(Duration.ofMillis(800)).atMost(Duration.ofSeconds(3))
                .until(() -> channel.basicGet(watched, true) == null);
        assertThat(lab.queueExists(watched)).as("each get is use").isTrue();
        channel.queueDelete(watched);
    }

    @Test
    @Spec("0-9-1 queue.purge")
    void shouldPurgeReadyMessagesOnly(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 10);
        Channel channel = lab.channel();
        GetResponse held = channel.basicGet(queue, false);
        assertThat(lab.channel().queuePurge(queue).getMessageCount()).isEqualTo(9);
        assertThat(lab.depth(queue)).isZero();
        channel.basicReject(held.getEnvelope().getDeliveryTag(), true);
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("1");
    }

    @Test
    @Spec({"0-9-1 queue.delete", "0-9-1 queue.delete if-unused", "0-9-1 queue.delete if-empty"})
    void shouldDeleteIfUnusedAndIfEmpty(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "1", "2");
        Channel notEmpty = lab.channel();
        Refusal.of(() -> notEmpty.queueDelete(queue, false, true))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - queue '" + queue + "' in vhost '/' not empty",
                        "50.40"));
        Channel consuming = lab.channel();
        consuming.basicQos(1);
        Mailbox mailbox = Lab.consume(consuming, queue, false);
        mailbox.next();
        Channel inUse = lab.channel();
        Refusal.of(() -> inUse.queueDelete(queue, true, false))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - queue '" + queue + "' in vhost '/' in use",
                        "50.40"));
        assertThat(lab.channel().queueDelete(queue).getMessageCount()).as("ready ones").isEqualTo(1);
        mailbox.shouldBeCancelled();
        assertThat(lab.queueExists(queue)).isFalse();
        String idle = lab.queue();
        assertThat(lab.channel().queueDelete(idle, true, true).getMessageCount()).isZero();
    }

    @Test
    @Spec("0-9-1 queue.bind")
    void shouldForgetBindingsWithTheQueue(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.bind(queue, "amq.direct", queue);
        lab.bind(queue, "amq.direct", queue);
        lab.publish("amq.direct", queue, "1");
        assertThat(lab.drain(queue)).as("bound twice is bound").containsExactly("1");
        Channel channel = lab.channel();
        channel.queueDelete(queue);
        channel.queueDeclare(queue, true, false, false, null);
        lab.publish("amq.direct", queue, "2");
        assertThat(lab.drain(queue)).isEmpty();
    }
}
