/** The server module. */
package io.sluicemq.server;
