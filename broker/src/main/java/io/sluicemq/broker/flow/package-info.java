/** Flow control: what addresses hold and may hold, who waits for room in them, and why. */
package io.sluicemq.broker.flow;
