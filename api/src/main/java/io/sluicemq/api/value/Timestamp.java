package io.sluicemq.api.value;

/**
 * A time in seconds since 1970-01-01T00:00Z, unsigned 64 bit.
 *
 * @param epochSeconds the seconds; a negative number stands for one above 2^63
 */
public record Timestamp(long epochSeconds) {}
