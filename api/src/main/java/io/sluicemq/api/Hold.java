package io.sluicemq.api;

/**
 * Why publishes wait: an address has no room for them.
 *
 * @param address the name of the address
 * @param limit which of its limits is reached, in words: {@code max-size-bytes 1000000}
 * @param closesChannel whether a producer that goes on publishing, beyond what may be parked for its connection, is to be
 *     closed rather than not read any more
 */
public record Hold(String address, String virtualHost, String limit, boolean closesChannel) {}
