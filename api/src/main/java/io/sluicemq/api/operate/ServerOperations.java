package io.sluicemq.api.operate;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.users.UserDirectory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What operators want of the process around the broker. May be called from any thread but a loop; methods without a future return soon. */
public interface ServerOperations {

    /** The product's version. */
    String version();

    /** What this broker is called among others: its host's name. */
    String nodeName();

    /** Since when it runs, in milliseconds since 1970. */
    long startedMillis();

    List<ListenerView> listeners();

    /** What is measured of the process. */
    CompletableFuture<ServerMeasures> measures();

    /** Why the broker takes no messages now, as far as that is known without asking its loops; empty if it does. */
    List<Obstacle> obstacles();

    /**
     * Judges a name and a password.
     *
     * @return fails with {@link Refused} for {@link io.sluicemq.api.BrokerError.LoginRefused} if it is not them
     */
    CompletableFuture<Login> login(String name, String password, Peer peer);

    /** Who may log in, and what they may do. */
    UserDirectory users();

    /** The settings in force, as text by their keys, in the order of the reference; nothing secret. */
    Map<String, String> settings();

    /**
     * Reads the configuration again.
     *
     * @throws IllegalStateException if there is no file to read, or it can't be read now
     * @throws IllegalArgumentException if it is not valid; the message has a line for each problem
     */
    ReloadView reload(Actor actor);

    /**
     * Sets limits for addresses of a pattern; what else was said of that pattern stays. With effect at once, until the configuration is
     * read again or the broker ends.
     *
     * @param limits by the names of the configuration's {@code address-settings}, as text
     * @throws IllegalArgumentException if they are not valid; then nothing has changed
     */
    void limitAddresses(Actor actor, String match, Map<String, String> limits);

    /** What {@link #limitAddresses} has set since the configuration was read the last time, by pattern, in the words of then. */
    Map<String, Map<String, String>> limitsSetAtRunTime();

    /** The limits in force by virtual host, by the names of the configuration's {@code virtual-host-limits}; an empty map for none. */
    Map<String, Map<String, Long>> virtualHostLimits();

    /**
     * Sets a limit of a virtual host. With effect at once, until the configuration is read again or the broker ends.
     *
     * @param limit its name as in the configuration
     * @param most empty to take it away
     * @throws IllegalArgumentException if there is no such limit or virtual host, or it can't be that
     * @throws IllegalStateException if that needs a restart of the broker
     */
    void limitVirtualHost(Actor actor, String virtualHost, String limit, Optional<Long> most);

    /**
     * Where clients come in.
     *
     * @param protocol such as {@code amqp}, {@code amqps} or {@code http}
     */
    record ListenerView(String name, String protocol, String host, int port) {}

    /**
     * What a reload has come to.
     *
     * @param applied keys that are in force now, and limits set at run time that are no more, with the word "undone"
     * @param needRestart keys that will be after a restart
     */
    record ReloadView(String file, List<String> applied, List<String> needRestart) {}
}
