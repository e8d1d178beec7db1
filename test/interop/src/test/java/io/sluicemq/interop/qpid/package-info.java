/** The JMS client of Qpid for AMQP 0-x, on 0-9-1: an old client that applications of the Qpid brokers still use. */
package io.sluicemq.interop.qpid;
