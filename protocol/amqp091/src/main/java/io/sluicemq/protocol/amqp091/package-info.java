/**
 * AMQP 0-9-1 with RabbitMQ's extensions, and what the Qpid JMS client for AMQP 0-x needs beside: the session behind one
 * connection, on the wire codec of {@link io.sluicemq.protocol.amqp091.codec}.
 *
 * <p>{@link io.sluicemq.protocol.amqp091.Amqp091Protocol} opens a {@code ConnectionSession} for each connection. It leads the
 * frames to its {@code Channel}s, which take one request at a time and hand it to the part that knows it: {@code Topology}
 * (classes exchange and queue), {@code Publishing} (content, returns, {@code Confirms}), {@code Consuming} ({@code
 * UnackedDeliveries}, {@code DeliveryGate}), {@code ChannelTransaction}. What a client does wrong is a {@code ProtocolFault};
 * what the broker refuses becomes one in {@code BrokerFaults}.
 *
 * <p>All of it runs on the loop of its connection, and knows no socket, thread or clock but those of that loop.
 */
package io.sluicemq.protocol.amqp091;
