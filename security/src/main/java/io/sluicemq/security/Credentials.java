package io.sluicemq.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A name and a password as a response holds them. The password is not copied out of the response.
 *
 * @param name who the peer says it is
 * @param response the bytes of the response
 * @param passwordAt where in it the password begins
 * @param passwordLength the password's length in bytes
 */
record Credentials(String name, byte[] response, int passwordAt, int passwordLength) {

    Credentials {
        if (name.isEmpty() || passwordLength == 0) {
            throw Refusal.malformed("the name or the password is empty");
        }
    }

    /** Some bytes of a response as text. */
    static String text(byte[] response, int from, int length) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(response, from, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Refusal.malformed("the name is not UTF-8");
        }
    }

    @Override
    public String toString() {
        return "credentials of '" + name + "'";
    }
}
