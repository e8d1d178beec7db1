package io.sluicemq.server.users;

import io.sluicemq.security.Users;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * All that a file of users holds. Immutable.
 *
 * @param decoySecret by which names that nobody has are answered; not to be told
 * @param users in the order of the file, no two of one name
 */
public record StoredUsers(byte[] decoySecret, List<StoredUser> users) {

    public StoredUsers {
        users = List.copyOf(users);
    }

    /** Nobody. */
    static StoredUsers none() {
        return new StoredUsers(Users.newDecoySecret(), List.of());
    }

    Optional<StoredUser> find(String name) {
        return users.stream().filter(user -> user.name().equals(name)).findFirst();
    }

    /** The same with a user, in place of the one of that name if there is one. */
    StoredUsers with(StoredUser user) {
        List<StoredUser> all = new ArrayList<>();
        boolean replaced = false;
        for (StoredUser each : users) {
            boolean same = each.name().equals(user.name());
            replaced |= same;
            all.add(same ? user : each);
        }
        if (!replaced) {
            all.add(user);
        }
        return new StoredUsers(decoySecret, all);
    }

    StoredUsers without(String name) {
        return new StoredUsers(
                decoySecret, users.stream().filter(user -> !user.name().equals(name)).toList());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredUsers stored && users.equals(stored.users)
                && Arrays.equals(decoySecret, stored.decoySecret);
    }

    @Override
    public int hashCode() {
        return users.hashCode();
    }

    @Override
    public String toString() {
        return users.size() + " users";
    }
}
