package io.sluicemq.security;

/** Reads the response of PLAIN (RFC 4616 §2): {@code [authzid] NUL authcid NUL passwd}. */
final class PlainResponse {

    private PlainResponse() {}

    /**
     * A user may act as that user alone, so an authorization identity must be empty or the same name.
     *
     * @throws Refusal if it is anything else
     */
    static Credentials read(byte[] response) {
        int first = indexOfNul(response, 0);
        int second = first < 0 ? -1 : indexOfNul(response, first + 1);
        if (second < 0) {
            throw Refusal.malformed("the response has less than two NULs");
        }
        int passwordAt = second + 1;
        if (indexOfNul(response, passwordAt) >= 0) {
            throw Refusal.malformed("the response has more than two NULs");
        }
        String actsAs = Credentials.text(response, 0, first);
        String name = Credentials.text(response, first + 1, second - first - 1);
        if (!actsAs.isEmpty() && !actsAs.equals(name)) {
            throw Refusal.malformed("it asks to act as another user");
        }
        return new Credentials(name, response, passwordAt, response.length - passwordAt);
    }

    private static int indexOfNul(byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        return -1;
    }
}
