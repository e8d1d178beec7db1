/** Large messages beside small ones on a broker with a small heap; what bin/large-messages runs. */
package io.sluicemq.hostile.large;
