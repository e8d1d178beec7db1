package io.sluicemq.campaign;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** A broker that somebody has started, of whatever make: nothing but its port is known of it. */
record RunningBroker(String host, int port, String user, String password, String virtualHost)
        implements BrokerUnderTest {

    /** From an address such as {@code amqp://user:password@host:port/vhost}, all of it but the host optional. */
    static RunningBroker at(URI uri) {
        if (!"amqp".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException("Not an address of the form amqp://host:port: " + uri);
        }
        String[] user =
                uri.getRawUserInfo() == null ? new String[] {"guest", "guest"} : uri.getRawUserInfo().split(":", 2);
        String path = uri.getRawPath();
        return new RunningBroker(uri.getHost(), uri.getPort() < 0 ? 5672 : uri.getPort(), decode(user[0]),
                user.length < 2 ? "" : decode(user[1]),
                path == null || path.isEmpty() ? "/" : decode(path.substring(1)));
    }

    private static String decode(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        // it is somebody else's
    }

    @Override
    public String toString() {
        return describe();
    }
}
