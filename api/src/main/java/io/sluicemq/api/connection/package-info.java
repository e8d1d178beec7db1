/** What the sessions of all protocols need for one connection: parts without a protocol. Owned by the connection's loop. */
package io.sluicemq.api.connection;
