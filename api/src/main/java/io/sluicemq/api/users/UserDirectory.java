package io.sluicemq.api.users;

import io.sluicemq.api.Authenticator.Peer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Who may log in to a broker that runs, for its administrators. Changes are on the disk when a method returns, and hold by then for
 * whoever logs in; for those who are connected they do within a second. Any thread that may wait for a disk and for slow hashes; no
 * loop. Every change is told in the audit log.
 */
public interface UserDirectory {

    /** All of them, by name. Loops may ask, too. */
    List<UserView> list();

    /** The one of that name. Loops may ask, too. */
    Optional<UserView> find(String name);

    /**
     * Makes a user, or changes one. Takes most of a second if there is a password.
     *
     * @param name not empty, at most 255 bytes, without control characters
     * @param change what they are to be
     * @param by who wants that, for the audit log
     * @throws UserRefused if that is not possible; then nothing has changed
     */
    void put(String name, UserChange change, String by);

    /**
     * Removes a user; connections of theirs are closed.
     *
     * @throws UserRefused if there is none, or they can't be
     */
    void remove(String name, String by);

    /**
     * Gives a user these permissions in a virtual host, in place of those they have there.
     *
     * @throws UserRefused if there is no such user, or a pattern is none
     */
    void grant(String name, String virtualHost, PermissionPatterns patterns, String by);

    /**
     * Takes all permissions in a virtual host; they may not enter it any more.
     *
     * @throws UserRefused if there is no such user
     */
    void revoke(String name, String virtualHost, String by);

    /**
     * Checks a name and a password, as a login by PLAIN is checked: at a bounded rate of failures, and off the caller's thread where it
     * takes long.
     *
     * @param password in UTF-8
     * @param peer where they come from
     * @return the user; empty if they are not let in, and the log says why
     */
    CompletableFuture<Optional<UserView>> login(String name, byte[] password, Peer peer);

    /** A permission's pattern as a regular expression, as RabbitMQ has them: one that matches nothing if there is no pattern. */
    String regex(List<String> patterns);
}
