package io.sluicemq.server.config;

import java.util.Set;

/**
 * One user who may log in.
 *
 * @param virtualHosts those they may enter; null for all
 * @param loopbackOnly whether they may only come from this machine
 */
public record UserConfig(String name, String password, Set<String> virtualHosts, boolean loopbackOnly) {

    /** Without the password. */
    @Override
    public String toString() {
        return "UserConfig[name=" + name + ", virtualHosts=" + virtualHosts + ", loopbackOnly=" + loopbackOnly + "]";
    }
}
