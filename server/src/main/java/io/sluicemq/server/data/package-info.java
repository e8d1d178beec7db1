/** The folder on disk that belongs to one broker: whose it is, in which format, and that nobody else has it open. */
package io.sluicemq.server.data;
