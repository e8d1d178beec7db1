/** Full addresses, with real clients: whether limits hold, whoever waits is woken, and nobody else is slowed. */
package io.sluicemq.campaign.full;
