/**
 * Messages of AMQP 1.0 (part 3, messaging): where the sections of an encoded message are, what the broker has to know of them,
 * what a delivery adds to them, and messages of other formats in their form. Stateless or owned by the loop that uses it; no
 * object is made for what is only copied.
 */
package io.sluicemq.protocol.amqp10.message;
