/** AMQP 1.0 (ISO/IEC 19464) on the engine of Apache Qpid protonj2. */
package io.sluicemq.protocol.amqp10;
