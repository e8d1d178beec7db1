package io.sluicemq.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownNotifier;
import com.rabbitmq.client.ShutdownSignalException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * How a broker closed a channel or connection.
 *
 * @param connection whether the connection went, and not only a channel
 * @param code the reply code
 * @param text the reply text
 * @param method the class and method id that the broker blames, as {@code 50.10}; {@code 0.0} for none
 */
public record Refusal(boolean connection, int code, String text, String method) {

    /** Something that the broker refuses. */
    public interface Attempt {
        void run() throws Exception;
    }

    /** Makes an attempt whose answer is the refusal. */
    public static Refusal of(Attempt attempt) {
        try {
            attempt.run();
        } catch (Exception e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof ShutdownSignalException signal) {
                    return of(signal);
                }
            }
            throw new AssertionError("Failed, but not by a close", e);
        }
        throw new AssertionError("Was not refused");
    }

    /** Makes an attempt that has no answer of its own, and waits for the channel or connection to be closed. */
    public static Refusal of(ShutdownNotifier closing, Attempt attempt) {
        CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();
        closing.addShutdownListener(closed::complete);
        try {
            attempt.run();
            return of(closed.get(5, TimeUnit.SECONDS));
        } catch (Exception e) {
            throw new AssertionError("Was not closed", e);
        }
    }

    private static Refusal of(ShutdownSignalException signal) {
        return switch (signal.getReason()) {
            case AMQP.Channel.Close close -> new Refusal(false, close.getReplyCode(), close.getReplyText(),
                    close.getClassId() + "." + close.getMethodId());
            case AMQP.Connection.Close close -> new Refusal(true, close.getReplyCode(), close.getReplyText(),
                    close.getClassId() + "." + close.getMethodId());
            case null, default -> throw new AssertionError("The stream ended without a close", signal);
        };
    }

    /** A refusal that closes the channel. */
    public static Refusal channel(int code, String text, String method) {
        return new Refusal(false, code, text, method);
    }

    /** A refusal that closes the connection. */
    public static Refusal connection(int code, String text, String method) {
        return new Refusal(true, code, text, method);
    }

    /** Checks level, code and blamed method, and that the text is or begins with the given one. */
    public void shouldBe(Refusal expected) {
        assertThat(this).usingRecursiveComparison().ignoringFields("text").as(text).isEqualTo(expected);
        assertThat(text).startsWith(expected.text);
    }
}
