package io.sluicemq.security;

/**
 * Reads the response of AMQPLAIN: the entries of an AMQP 0-x field table (0-9-1 §4.2.5.5) without the length in front, among
 * them the long strings {@code LOGIN} and {@code PASSWORD}. Used once, by one thread.
 */
final class AmqplainResponse {

    private final byte[] response;
    private int at;

    private AmqplainResponse(byte[] response) {
        this.response = response;
    }

    /** @throws Refusal if it is anything else */
    static Credentials read(byte[] response) {
        return new AmqplainResponse(response).credentials();
    }

    private Credentials credentials() {
        String name = null;
        int passwordAt = -1;
        int passwordLength = 0;
        while (at < response.length) {
            int keyLength = take(1);
            String key = Credentials.text(response, at, skip(keyLength));
            int type = take(1);
            boolean login = key.equals("LOGIN");
            boolean password = key.equals("PASSWORD");
            if (!login && !password) {
                skip(lengthOf(type));
                continue;
            }
            if (type != 'S' || (login ? name != null : passwordAt >= 0)) {
                throw Refusal.malformed("LOGIN and PASSWORD must be one long string each");
            }
            int length = lengthOf(type);
            if (login) {
                name = Credentials.text(response, at, skip(length));
            } else {
                passwordAt = at;
                passwordLength = skip(length);
            }
        }
        if (name == null || passwordAt < 0) {
            throw Refusal.malformed("the response has no LOGIN or no PASSWORD");
        }
        return new Credentials(name, response, passwordAt, passwordLength);
    }

    /** How many bytes a value of that type takes from here on, its own length read where it has one. */
    private int lengthOf(int type) {
        return switch (type) {
            case 'V' -> 0;
            case 't', 'b', 'B' -> 1;
            case 's', 'u' -> 2;
            case 'I', 'i', 'f' -> 4;
            case 'D' -> 5;
            case 'l', 'L', 'd', 'T' -> 8;
            case 'S', 'x', 'A', 'F' -> take(4);
            default -> throw Refusal.malformed("the response has a field of an unknown type");
        };
    }

    /** An unsigned number of that many bytes; one above what an int can hold comes out negative and fails as a length. */
    private int take(int bytes) {
        int from = at;
        skip(bytes);
        int value = 0;
        for (int i = from; i < at; i++) {
            value = value << 8 | response[i] & 0xff;
        }
        return value;
    }

    /** Moves on by {@code length} bytes, and returns that. */
    private int skip(int length) {
        if (length < 0 || length > response.length - at) {
            throw Refusal.malformed("the response ends within a field");
        }
        at += length;
        return length;
    }
}
