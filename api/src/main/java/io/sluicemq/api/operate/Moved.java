package io.sluicemq.api.operate;

/**
 * What a move has come to.
 *
 * @param messages how many have moved
 * @param remaining how many were ready in the queue when it ended
 * @param stopped why it ended before all wanted had moved; empty if nothing was wrong
 */
public record Moved(long messages, long remaining, String stopped) {}
