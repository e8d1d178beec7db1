/**
 * Sockets: {@link io.sluicemq.transport.NettyLoops loops on Netty}, and {@link io.sluicemq.transport.Listener listeners}
 * that accept connections, find out which protocol each speaks and carry its bytes. The only module that knows channels.
 */
package io.sluicemq.transport;
