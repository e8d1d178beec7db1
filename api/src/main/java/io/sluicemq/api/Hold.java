package io.sluicemq.api;

/**
 * Why publishes wait: an address has no room for them.
 *
 * @param address the name of the address
 * @param limit what they wait for, in words: the limit that is reached, {@code max-size-bytes 1000000}, or a consumer that is too slow
 * @param closesChannel whether a producer that goes on publishing, beyond what may be parked for its connection, is to be
 *     closed rather than not read any more
 */
public record Hold(String address, String virtualHost, String limit, boolean closesChannel) {}
