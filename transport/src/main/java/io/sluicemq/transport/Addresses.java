package io.sluicemq.transport;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Socket addresses as people read them; names are never looked up. */
final class Addresses {

    private Addresses() {}

    /** {@code 127.0.0.1:5672}, {@code [::1]:5672}; {@code unknown} for a socket that is already closed. */
    static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
            return address == null ? "unknown" : address.toString();
        }
        String host = inet.getAddress().getHostAddress();
        return (inet.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + inet.getPort();
    }

    static boolean isLoopback(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                && inet.getAddress() != null
                && inet.getAddress().isLoopbackAddress();
    }
}
