/**
 * The users of a broker: {@link io.sluicemq.server.users.UsersFile the file} in which they are stored, and {@link
 * io.sluicemq.server.users.UserRegistry} for those of a broker that runs.
 */
package io.sluicemq.server.users;
