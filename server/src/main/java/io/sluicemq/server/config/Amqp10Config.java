package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;

/**
 * What is particular to AMQP 1.0; see {@link Amqp10Section#AMQP10} for each.
 *
 * @param windowBytes of messages
 */
public record Amqp10Config(boolean autoCreateQueues, int windowBytes, int windowMessages) {

    static Amqp10Config of(Settings amqp10) {
        return new Amqp10Config(
                amqp10.get(Amqp10Section.AUTO_CREATE_QUEUES),
                Math.toIntExact(amqp10.get(Amqp10Section.WINDOW)),
                amqp10.get(Amqp10Section.WINDOW_MESSAGES));
    }
}
