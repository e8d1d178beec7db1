/** A slow subscriber beside a fast one, under each policy: the campaign of {@code bin/slow-consumers}. */
package io.sluicemq.campaign.slow;
