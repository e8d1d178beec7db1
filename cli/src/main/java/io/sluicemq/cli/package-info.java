/** The commands that are clients: they talk to a broker over its protocols and know nothing of its inside. */
package io.sluicemq.cli;
