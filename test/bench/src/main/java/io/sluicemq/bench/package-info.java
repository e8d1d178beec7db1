/** The comparison behind {@code bin/compare}: SluiceMQ and other brokers under the same load, each alone, in turn. */
package io.sluicemq.bench;
