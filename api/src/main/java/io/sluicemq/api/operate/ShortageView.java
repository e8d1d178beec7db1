package io.sluicemq.api.operate;

/**
 * What every publish waits for.
 *
 * @param reason in words
 * @param sinceMillis for how long, in milliseconds
 */
public record ShortageView(String reason, long sinceMillis) {}
