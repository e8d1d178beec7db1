/** The command line {@code sluicemq}: what {@code bin/sluicemq} starts. */
package io.sluicemq.dist;
