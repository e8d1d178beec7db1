/** The protocol.amqp091 module. */
package io.sluicemq.protocol.amqp091;
