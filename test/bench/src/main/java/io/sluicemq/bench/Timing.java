package io.sluicemq.bench;

/**
 * How long each measurement takes.
 *
 * @param warmupSeconds load that is not counted: a broker on a JVM compiles its code in it
 * @param seconds       load that is
 */
record Timing(int warmupSeconds, int seconds) {}
