/**
 * The border between protocols and the broker: what a protocol may ask ({@link io.sluicemq.api.Broker}, {@link
 * io.sluicemq.api.Client}, {@link io.sluicemq.api.Consumer}, {@link io.sluicemq.api.Delivery}), what it must offer ({@link
 * io.sluicemq.api.Protocol}, {@link io.sluicemq.api.ProtocolSession}, {@link io.sluicemq.api.ConsumerSink}, {@link
 * io.sluicemq.api.MessageFormat}), and what passes between them ({@link io.sluicemq.api.Message}, {@link
 * io.sluicemq.api.BrokerError}). No protocol is named here and none is privileged.
 */
package io.sluicemq.api;
