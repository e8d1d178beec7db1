package io.sluicemq.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Publishes numbered messages on a channel of the RabbitMQ client, by a thread of its own, which may be held up. The test's
 * thread asks how far it is.
 */
public final class Sender {

    /** How a channel publishes. */
    public enum Mode {
        PLAIN,
        /** Waits for the confirms after the last message. */
        CONFIRMED,
        /** Commits every so often. */
        TRANSACTED
    }

    private static final int MESSAGES_A_COMMIT = 25;
    private static final int LIMIT_SECONDS = 30;

    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Thread thread;
    private volatile int sent;

    private Sender(Runnable work) {
        thread = Thread.ofPlatform().daemon().name("sender").unstarted(work);
    }

    /** Publishes the numbers up to one, without it, through the default exchange. */
    public static Sender start(Channel channel, String queue, Mode mode, BasicProperties properties, int messages,
            int bytes) {
        Sender[] self = new Sender[1];
        self[0] = new Sender(() -> self[0].run(channel, queue, mode, properties, messages, bytes));
        self[0].thread.start();
        return self[0];
    }

    private void run(Channel channel, String queue, Mode mode, BasicProperties properties, int messages, int bytes) {
        try {
            switch (mode) {
                case PLAIN -> {
                }
                case CONFIRMED -> channel.confirmSelect();
                case TRANSACTED -> channel.txSelect();
            }
            for (int i = 0; i < messages; i++) {
                channel.basicPublish("", queue, properties, body(i, bytes));
                if (mode == Mode.TRANSACTED && (i + 1) % MESSAGES_A_COMMIT == 0) {
                    channel.txCommit();
                }
                sent = i + 1;
            }
            if (mode == Mode.TRANSACTED) {
                channel.txCommit();
            } else if (mode == Mode.CONFIRMED) {
                channel.waitForConfirmsOrDie();
            }
            done.complete(null);
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }

    /** A body of so many bytes that begins with a number. */
    public static byte[] body(int number, int bytes) {
        byte[] text = (number + ":").getBytes(StandardCharsets.US_ASCII);
        return Arrays.copyOf(text, Math.max(bytes, text.length));
    }

    /** The number that a body begins with. */
    public static int number(byte[] body) {
        String text = new String(body, StandardCharsets.US_ASCII);
        return Integer.parseInt(text, 0, text.indexOf(':'), 10);
    }

    /** How many the client has taken so far. */
    public int sent() {
        return sent;
    }

    /** Whether a call of the client's does not return: it waits there and not for something of its own. */
    public boolean isHeld() {
        return thread.getState() == Thread.State.WAITING && Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("quiescingTransmit") || frame.getMethodName()
                        .equals("txCommit") || frame.getMethodName().equals("waitForConfirms"));
    }

    /** Whether all was sent and, where that is asked for, answered; false also if it has failed. */
    public boolean isDone() {
        return done.isDone() && !done.isCompletedExceptionally();
    }

    /** Waits until all was sent and, where that is asked for, answered. */
    public void shouldFinish() throws Exception {
        done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until a call has failed; the error. */
    public Throwable failure() throws Exception {
        try {
            done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("has not failed");
    }

    /** Checks that numbers are all from one to another, the latter left out, in order. */
    public static void shouldBeNumbers(Iterable<Integer> numbers, int from, int to) {
        assertThat(numbers).containsExactlyElementsOf(java.util.stream.IntStream.range(from, to).boxed().toList());
    }
}
