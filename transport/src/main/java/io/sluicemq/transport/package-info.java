/** The transport module. */
package io.sluicemq.transport;
