/** Brokers that are killed under load and started again, and what they owe their clients then. */
package io.sluicemq.crash;
