package io.sluicemq.cli.operate;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.ApiUnreachable;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Units;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code sluicemq receive}: takes messages from a queue. Runs on the thread of the command line; a thread of the client hands over what a
 * consumer is given.
 *
 * <p>By AMQP, since only there a message can be acknowledged when it has been written, and whatever its size: over HTTP it is gone once it was
 * answered. So each message is written at least once, or stays in its queue.
 */
@Command(
        name = "receive",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Take messages from a queue, and print them.",
        footer = {
            "",
            "Bodies go to standard output, each with a line break behind it; -o json prints an object a line.",
            "A message is acknowledged when it has been written. It ends when the queue is empty, or not with",
            "--follow, and with 1 if there was no message at all.",
            "By AMQP: the listener that the broker names over HTTP, or that of --amqp.",
            "",
            "  sluicemq receive orders",
            "  sluicemq receive orders --count 10 -o json",
            "  sluicemq receive orders --follow",
            "  sluicemq receive orders.dead --outcome reject"
        })
public final class ReceiveCommand implements Callable<Integer> {

    private static final int AHEAD = 100;
    private static final int NOTHING = 1;

    /** What becomes of a message that was written. */
    enum Fate {
        ACCEPT, REQUEUE, REJECT;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    enum Form {
        BODY, JSON;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Reads where AMQP is spoken. */
    static final class ListenerWord implements ITypeConverter<AmqpListener> {

        @Override
        public AmqpListener convert(String text) {
            try {
                return AmqpListener.parse(text);
            } catch (InvalidValue e) {
                throw new TypeConversionException(
                        "'" + Printable.text(text) + "': expected HOST:PORT, amqp://HOST:PORT or amqps://HOST:PORT");
            }
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Which one.")
    private String queue;

    @Option(names = "--count", paramLabel = "N",
            description = "No more than so many (default: 1; with --follow no end).")
    private Long count;

    @Option(names = "--follow", description = "Wait for more.")
    private boolean follow;

    @Option(names = "--outcome", paramLabel = "WHAT", defaultValue = "accept",
            description = "What becomes of them: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Fate outcome;

    @Option(names = {"-o", "--output"}, paramLabel = "FORM", defaultValue = "body",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Form form;

    @Option(names = "--amqp", paramLabel = "HOST:PORT", converter = ListenerWord.class,
            description = "The broker's AMQP listener (default: as it says); with TLS amqps://HOST:PORT.")
    private AmqpListener amqp;

    @Mixin
    private BrokerAccess broker;

    private final OutputStream out;

    public ReceiveCommand() {
        this(System.out);
    }

    ReceiveCommand(OutputStream out) {
        this.out = out;
    }

    @Override
    public Integer call() {
        if (count != null && count < 1) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ": expected at least 1");
        }
        if (follow && outcome == Fate.REQUEUE) {
            throw new ParameterException(
                    spec.commandLine(), "--follow with --outcome requeue would print the same again and again:"
                            + " 'sluicemq browse' leaves messages where they are");
        }
        return broker.ask(this::receive);
    }

    private int receive(Api api) {
        AmqpListener listener = amqp == null ? AmqpListener.of(api) : amqp;
        try (Connection connection = listener.connect(api.access(), "sluicemq receive")) {
            Channel channel = connection.createChannel();
            long received = follow ? follow(api, channel) : take(channel);
            if (received == 0) {
                sayNothing(api);
                return NOTHING;
            }
            if (form == Form.BODY && System.console() != null) {
                spec.commandLine().getErr().println(Units.count(received, "message") + " received");
            }
            return 0;
        } catch (IOException | ShutdownSignalException e) {
            throw listener.failure(api.access(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    /** Says why there is no message, as far as the user may know. */
    private void sayNothing(Api api) {
        spec.commandLine().getErr().println(Printable.text(isPaused(api)
                ? queue + " is paused: 'sluicemq resume " + queue + "' lets it deliver again"
                : "There are no messages to be had from " + queue + "."));
    }

    private boolean isPaused(Api api) {
        try {
            return api.get(Api.path("queues", api.virtualHost(), queue)).path("paused").asBoolean(false);
        } catch (ApiRefused | ApiUnreachable e) {
            return false; // with --amqp one needs neither a role nor HTTP, and AMQP has worked
        }
    }

    /** What is there. */
    private long take(Channel channel) throws IOException {
        long most = count == null ? 1 : count;
        long received = 0;
        while (received < most) {
            GetResponse message = channel.basicGet(queue, false);
            if (message == null) {
                break;
            }
            write(message.getEnvelope(), message.getProps(), message.getBody());
            received++;
            settle(channel, message.getEnvelope());
        }
        if (outcome == Fate.REQUEUE && received > 0) {
            channel.basicNack(0, true, true); // all of them now, or they would have come again
        }
        return received;
    }

    private void settle(Channel channel, Envelope envelope) throws IOException {
        switch (outcome) {
            case ACCEPT -> channel.basicAck(envelope.getDeliveryTag(), false);
            case REJECT -> channel.basicReject(envelope.getDeliveryTag(), false);
            case REQUEUE -> {
                return; // at the end
            }
        }
    }

    /** What a consumer was given, or, without an envelope, that it gets nothing any more. */
    private record Given(
            Envelope envelope, com.rabbitmq.client.AMQP.BasicProperties properties, byte[] body,
            ShutdownSignalException closed) {}

    private long follow(Api api, Channel channel) throws IOException, InterruptedException {
        BlockingQueue<Given> given = new LinkedBlockingQueue<>();
        long most = count == null ? Long.MAX_VALUE : count;
        channel.basicQos((int) Math.min(AHEAD, most));
        channel.basicConsume(queue, false, new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(
                    String tag, Envelope envelope, com.rabbitmq.client.AMQP.BasicProperties properties, byte[] body) {
                given.add(new Given(envelope, properties, body, null));
            }

            @Override
            public void handleCancel(String tag) {
                given.add(new Given(null, null, null, null));
            }

            @Override
            public void handleShutdownSignal(String tag, ShutdownSignalException closed) {
                given.add(new Given(null, null, null, closed));
            }
        });
        long received = 0;
        boolean wondered = false;
        while (received < most) {
            Given next = given.poll(1, TimeUnit.SECONDS);
            if (next == null) {
                if (!wondered && isPaused(api)) {
                    sayNothing(api);
                }
                wondered = true;
                continue; // it waits for as long as it takes
            }
            if (next.envelope() == null) {
                if (next.closed() != null) {
                    throw next.closed();
                }
                throw new ApiRefused(404, "queue '" + queue + "' is gone");
            }
            write(next.envelope(), next.properties(), next.body());
            received++;
            settle(channel, next.envelope());
        }
        return received;
    }

    private void write(Envelope envelope, com.rabbitmq.client.AMQP.BasicProperties properties, byte[] body)
            throws IOException {
        byte[] bytes = switch (form) {
            case BODY -> Terminal.isThere()
                    ? Printable.text(new String(body, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8)
                    : body;
            case JSON -> Structured.line(ReceivedMessage.json(envelope, properties, body))
                    .getBytes(StandardCharsets.UTF_8);
        };
        out.write(bytes);
        out.write('\n');
        out.flush();
        if (out instanceof java.io.PrintStream stream && stream.checkError()) {
            throw new IOException("nobody reads what is printed any more");
        }
    }
}
