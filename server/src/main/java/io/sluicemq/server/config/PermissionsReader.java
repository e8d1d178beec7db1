package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;
import io.sluicemq.security.Grant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what a user may do, by virtual host. Stateless. */
public final class PermissionsReader {

    private PermissionsReader() {}

    /** @param user settings that have {@link ServerOptions#USER_PERMISSIONS}; what is wrong with them was found before */
    public static Map<String, Grant> read(Settings user) {
        Map<String, Grant> grants = new LinkedHashMap<>();
        for (Settings section : user.list(ServerOptions.USER_PERMISSIONS)) {
            section.find(ServerOptions.PERMISSION_HOST)
                    .ifPresent(host -> grants.put(
                            host,
                            Grant.of(
                                    section.get(ServerOptions.CONFIGURE), section.get(ServerOptions.WRITE),
                                    section.get(ServerOptions.READ))));
        }
        return grants;
    }
}
