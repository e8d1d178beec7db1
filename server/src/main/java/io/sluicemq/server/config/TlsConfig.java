package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;
import io.sluicemq.transport.Tls;
import java.nio.file.Path;

/**
 * How a listener speaks TLS; see {@link ListenersSection#LISTENER_TLS} for each.
 *
 * @param clientCa null if and only if clients are asked for no certificate
 */
public record TlsConfig(Path certificate, Path key, Path clientCa, Tls.ClientAuth clientAuth, Tls.Version minVersion) {

    /** @param section one of those that have {@link ListenersSection#TLS_MIN_VERSION} */
    static Tls.Version minVersion(Settings section) {
        return section.get(ListenersSection.TLS_MIN_VERSION).equals("1.3") ? Tls.Version.V1_3 : Tls.Version.V1_2;
    }
}
