/** Broken and malicious AMQP 0-9-1 peers: raw frames over real sockets, and a campaign of random ones. */
package io.sluicemq.hostile;
