/** AMQP 1.0 as its clients speak it. */
package io.sluicemq.interop.amqp10;
