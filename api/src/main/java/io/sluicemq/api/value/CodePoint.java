package io.sluicemq.api.value;

/**
 * A single character of Unicode.
 *
 * @param value its code point; from a client that knows no better it may be none
 */
public record CodePoint(int value) {}
