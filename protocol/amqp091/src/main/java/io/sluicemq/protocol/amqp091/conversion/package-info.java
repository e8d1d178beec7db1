/**
 * Messages of AMQP 0-9-1 for clients of other protocols, and theirs for clients of this one; docs/conversion.md has the tables.
 * Used only where formats differ. Stateless.
 */
package io.sluicemq.protocol.amqp091.conversion;
