/**
 * What the broker's records in the log look like: the payload of each kind, written and read. Nothing here knows the log, a
 * queue or a loop; an instance belongs to the loop that made it, and everything static is pure. Every layout is drawn above
 * the code that implements it, all numbers are little-endian, and a test pins the bytes of each.
 */
package io.sluicemq.broker.journal;
