package io.sluicemq.management.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * A file of this package's resources, read once. Immutable; the bytes are not copied.
 *
 * @param tag its entity tag (RFC 9110 §8.8.3): as its content changes, so does this
 */
record StaticFile(String contentType, byte[] bytes, String tag) {

    /** @throws IllegalStateException if there is no such file: the product is not whole */
    static StaticFile read(String name) {
        try (InputStream in = StaticFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the console's file " + name + " is missing");
            }
            byte[] bytes = in.readAllBytes();
            return new StaticFile(contentType(name), bytes, tag(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("the console's file " + name, e);
        }
    }

    private static String contentType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> throw new IllegalStateException("a file of no known type: " + name);
        };
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest, 12)) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Whether a list of tags, as {@code If-None-Match} has it, names this one (RFC 9110 §13.1.2, a weak comparison). */
    boolean isNamedBy(String list) {
        return list != null && Arrays.stream(list.split(","))
                .map(String::strip)
                .anyMatch(each -> each.equals("*") || each.equals(tag) || each.equals("W/" + tag));
    }
}
