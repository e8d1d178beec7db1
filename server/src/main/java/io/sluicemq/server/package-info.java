/**
 * The broker put together. {@link io.sluicemq.server.SluiceMQ} runs one inside any JVM, {@link io.sluicemq.server.Serve} one
 * for the command line.
 */
package io.sluicemq.server;
