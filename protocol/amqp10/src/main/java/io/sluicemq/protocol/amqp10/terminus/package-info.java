/**
 * What the sources and targets of AMQP 1.0 links mean in the broker: which queue or exchange an address names, subscriptions, nodes
 * made on demand, and how long each of these lives.
 */
package io.sluicemq.protocol.amqp10.terminus;
