/**
 * Clients that applications use, over real sockets, against a whole broker: an embedded SluiceMQ, or with
 * {@code -Dinterop.uri=amqp://…} any that is running. What the tests expect was tried against RabbitMQ 3.10; where they ask
 * for more than it does, they say so ({@link io.sluicemq.interop.lab.BeyondRabbitMq}).
 */
package io.sluicemq.interop;
