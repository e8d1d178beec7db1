/**
 * The load tool behind {@code sluicemq bench}: a plan, the RabbitMQ Java client as an application would use it, and
 * the figures. Works against any AMQP 0-9-1 broker.
 */
package io.sluicemq.cli.bench;
