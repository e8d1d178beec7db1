/** A broker with many queues, and operators who look at them while messages flow. */
package io.sluicemq.campaign.many;
