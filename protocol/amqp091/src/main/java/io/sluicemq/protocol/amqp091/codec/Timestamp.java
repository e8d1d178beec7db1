package io.sluicemq.protocol.amqp091.codec;

/**
 * A field value of type {@code T}: seconds since 1970-01-01T00:00Z, unsigned 64 bit (spec §4.2.5.4).
 *
 * @param epochSeconds the seconds; a negative number stands for one above 2^63
 */
public record Timestamp(long epochSeconds) {}
