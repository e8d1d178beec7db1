package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ongres.saslprep.SASLprep;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * SASLprep (RFC 4013), which makes different ways to type the same name or password equal. Characters that Unicode 3.2, on which it
 * stands, did not know yet are taken as they are, on both sides alike (as RFC 3454 §7 has it for queries), so that they may be used.
 */
final class Preparation {

    private static final SASLprep PROFILE = new SASLprep();

    private Preparation() {}

    /** The prepared text, or null if it can't be prepared: it holds what is prohibited, or nothing of it is left. */
    static String prepared(String text) {
        try {
            String prepared = PROFILE.prepareQuery(text);
            return prepared.isEmpty() ? null : prepared;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The prepared text that these bytes are in UTF-8, or null if they are none that can be prepared. */
    static String preparedOf(byte[] bytes) {
        try {
            return prepared(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
