package io.sluicemq.api.operate;

/**
 * What an address or a virtual host may hold.
 *
 * @param policy what happens when it is full: {@code block}, {@code page}, {@code drop}, {@code fail} or {@code ring}
 * @param maxBytes bytes of messages, with {@code page} those in memory; -1 for no limit
 * @param maxMessages messages, likewise; -1 for no limit
 * @param pageLimitBytes with {@code page}, bytes in memory and on the disk together; -1 for no limit
 */
public record LimitsView(String policy, long maxBytes, long maxMessages, long pageLimitBytes) {}
