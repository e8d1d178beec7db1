package io.sluicemq.security;

import io.sluicemq.api.Permission;
import io.sluicemq.api.Permissions;
import java.util.List;

/**
 * What a user may do in a virtual host: for each permission, with names of which at least one pattern is about. Immutable.
 */
public record Grant(List<NamePattern> configure, List<NamePattern> write, List<NamePattern> read)
        implements Permissions {

    public Grant {
        configure = List.copyOf(configure);
        write = List.copyOf(write);
        read = List.copyOf(read);
    }

    /** @throws IllegalArgumentException if one is no pattern; the message says which, and why */
    public static Grant of(List<String> configure, List<String> write, List<String> read) {
        return new Grant(patterns(configure), patterns(write), patterns(read));
    }

    private static List<NamePattern> patterns(List<String> texts) {
        return texts.stream().map(NamePattern::of).toList();
    }

    private List<NamePattern> of(Permission permission) {
        return switch (permission) {
            case CONFIGURE -> configure;
            case WRITE -> write;
            case READ -> read;
        };
    }

    @Override
    public boolean allow(Permission permission, String name) {
        for (NamePattern pattern : of(permission)) {
            if (pattern.matches(name)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean allowAllOf(Permission permission, String bindingKey) {
        for (NamePattern pattern : of(permission)) {
            if (pattern.matchesAllOf(bindingKey)) {
                return true;
            }
        }
        return false;
    }
}
