/**
 * What operators are told of a broker, and what they may do with it: records, and {@link io.sluicemq.api.operate.Operations}, by which
 * whoever serves operators reaches the broker. All of it is asynchronous and may be called from any thread; nothing is answered by
 * holding a loop for long.
 */
package io.sluicemq.api.operate;
