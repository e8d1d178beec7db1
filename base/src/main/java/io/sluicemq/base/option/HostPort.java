package io.sluicemq.base.option;

/**
 * A host's name or address and a TCP port.
 *
 * @param host without the brackets that surround an IPv6 address in text
 * @param port from 0 to 65535; 0 for any free one, where a server listens
 */
public record HostPort(String host, int port) {

    private static final int MAX_PORT = 65535;

    /** Reads {@code 127.0.0.1:5672}, {@code broker.example:5672} or {@code [::1]:5672}. */
    public static HostPort parse(String text) throws InvalidValue {
        int colon = text.lastIndexOf(':');
        if (colon > 0) {
            String host = text.substring(0, colon);
            boolean bracketed = host.startsWith("[") && host.endsWith("]");
            if (bracketed) {
                host = host.substring(1, host.length() - 1);
            }
            String port = text.substring(colon + 1);
            boolean digits = !port.isEmpty() && port.length() <= 5 && port.chars().allMatch(c -> c >= '0' && c <= '9');
            boolean plain = host.chars().noneMatch(c -> c <= ' ' || c == '[' || c == ']' || c == '/');
            if (digits && plain && !host.isEmpty() && host.contains(":") == bracketed) {
                int number = Integer.parseInt(port);
                if (number <= MAX_PORT) {
                    return new HostPort(host, number);
                }
            }
        }
        throw new InvalidValue("a host and a port, such as 127.0.0.1:5672 or [::1]:5672");
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
