/**
 * Long-running checks of a whole broker, started from {@code bin}, and what they share with the tests of real clients: a
 * broker to run against, a client that writes frames, a record of the broker's log.
 */
package io.sluicemq.campaign;
