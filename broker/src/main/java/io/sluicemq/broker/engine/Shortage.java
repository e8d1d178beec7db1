package io.sluicemq.broker.engine;

/**
 * Why every publish of every connection waits at a moment, wherever it goes: for memory or for the disk. Immutable.
 *
 * @param reason in the words that clients are told
 * @param sinceMillis how long this has been so
 */
public record Shortage(String reason, long sinceMillis) {}
