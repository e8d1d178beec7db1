/**
 * Frames and performatives of AMQP 1.0 (part 2): bytes to objects and back, with no state but buffers. The objects are those of
 * Apache Qpid protonj2, and so is the codec of all that is not sent or received with each message.
 */
package io.sluicemq.protocol.amqp10.codec;
