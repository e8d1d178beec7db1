package io.sluicemq.security;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The messages of SCRAM that a client sends (RFC 5802 §5, §7), taken apart. What is not as prescribed is a {@link Refusal}. */
final class ScramMessages {

    private ScramMessages() {}

    /**
     * {@code client-first-message}.
     *
     * @param gs2Header the part in front, its last comma included
     * @param bare the rest
     * @param name the user's name, its escapes undone, not prepared
     */
    record First(String gs2Header, String bare, String name, String nonce) {

        static First read(byte[] response) {
            String text = text(response);
            int flagEnd = comma(text, 0);
            int headerEnd = comma(text, flagEnd + 1) + 1;
            switch (text.substring(0, flagEnd)) {
                case "n", "y" -> {}
                case String flag when flag.startsWith("p=") -> throw Refusal.malformed("it wants a channel binding");
                default -> throw Refusal.malformed("the message begins with no flag of channel binding");
            }
            String actsAs = text.substring(flagEnd + 1, headerEnd - 1);
            String bare = text.substring(headerEnd);
            if (bare.startsWith("m=")) {
                throw Refusal.malformed("it wants an extension");
            }
            int nameEnd = comma(bare, 0);
            String name = name(value("n=", bare.substring(0, nameEnd)));
            if (!actsAs.isEmpty() && !name(value("a=", actsAs)).equals(name)) {
                throw new Refusal(name, "it asks to act as another user");
            }
            int nonceEnd = bare.indexOf(',', nameEnd + 1);
            String nonce =
                    value("r=", nonceEnd < 0 ? bare.substring(nameEnd + 1) : bare.substring(nameEnd + 1, nonceEnd));
            if (!nonce.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
                throw Refusal.malformed("the nonce holds what it must not");
            }
            return new First(text.substring(0, headerEnd), bare, name, nonce);
        }

        /** RFC 5802 §5.1: {@code =2C} stands for a comma and {@code =3D} for an equals sign. */
        private static String name(String escaped) {
            var name = new StringBuilder(escaped.length());
            for (int i = 0; i < escaped.length(); i++) {
                char c = escaped.charAt(i);
                if (c != '=') {
                    name.append(c);
                } else if (escaped.startsWith("=2C", i)) {
                    name.append(',');
                    i += 2;
                } else if (escaped.startsWith("=3D", i)) {
                    name.append('=');
                    i += 2;
                } else {
                    throw Refusal.malformed("the name holds an equals sign that stands for nothing");
                }
            }
            return name.toString();
        }
    }

    /**
     * {@code client-final-message}.
     *
     * @param withoutProof all before the proof
     */
    record Final(String withoutProof, byte[] channelBinding, String nonce, byte[] proof) {

        static Final read(byte[] response) {
            String text = text(response);
            int bindingEnd = comma(text, 0);
            int nonceEnd = comma(text, bindingEnd + 1);
            int proofAt = text.lastIndexOf(',');
            return new Final(
                    text.substring(0, proofAt),
                    base64(value("c=", text.substring(0, bindingEnd))),
                    value("r=", text.substring(bindingEnd + 1, nonceEnd)),
                    base64(value("p=", text.substring(proofAt + 1))));
        }

        private static byte[] base64(String text) {
            try {
                return Base64.getDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                throw Refusal.malformed("the message holds what is not base 64");
            }
        }
    }

    private static String text(byte[] response) {
        return Credentials.text(response, 0, response.length);
    }

    private static int comma(String text, int from) {
        int at = text.indexOf(',', from);
        if (at < 0) {
            throw Refusal.malformed("the message has parts missing");
        }
        return at;
    }

    private static String value(String name, String attribute) {
        if (!attribute.startsWith(name) || attribute.length() == name.length()) {
            throw Refusal.malformed("the message does not have " + name + " in its place, with a value");
        }
        return attribute.substring(name.length());
    }

    /** As these messages are sent. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
