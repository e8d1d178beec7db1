package io.sluicemq.api.users;

import java.util.List;

/**
 * What a user may do in a virtual host, as it is written: patterns of names for each permission, of which one must match. A pattern is
 * words between dots, {@code *} for any word and {@code #} for any number of words; or {@code regex:} and a regular expression (RE2),
 * which is found somewhere in the name, unless it is anchored, as RabbitMQ's are.
 */
public record PermissionPatterns(List<String> configure, List<String> write, List<String> read) {

    public PermissionPatterns {
        configure = List.copyOf(configure);
        write = List.copyOf(write);
        read = List.copyOf(read);
    }
}
