package io.sluicemq.cli.operate;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.cli.http.Access;
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
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

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
    private static final int CONNECT_MILLIS = 5_000;
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

    @Option(names = "--amqp", paramLabel = "HOST:PORT",
            description = "The broker's AMQP listener (default: as it says).")
    private String amqp;

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
        if (amqp != null && !amqp.matches(".+:\\d{1,5}")) {
            throw new ParameterException(spec.commandLine(), "--amqp is '" + amqp + "': expected HOST:PORT");
        }
        return broker.ask(this::receive);
    }

    /** Where AMQP is spoken. */
    private record Listener(String host, int port, boolean tls) {}

    private Listener listener(Api api) {
        if (amqp != null) {
            int colon = amqp.lastIndexOf(':');
            return new Listener(amqp.substring(0, colon), Integer.parseInt(amqp.substring(colon + 1)), false);
        }
        List<JsonNode> all = api.get(Api.path("overview")).path("listeners").valueStream()
                .filter(each -> each.path("protocol").asString().startsWith("amqp"))
                .sorted(java.util.Comparator.comparing(each -> each.path("protocol").asString()))
                .toList();
        if (all.isEmpty()) {
            throw new ApiRefused(404, "the broker has no AMQP listener");
        }
        String host = all.getFirst().path("ip_address").asString();
        // One that listens everywhere is reached where HTTP is.
        boolean everywhere = host.isEmpty() || host.equals("0.0.0.0") || host.equals("::") || host.equals("[::]");
        return new Listener(
                everywhere ? api.access().url().getHost() : host, all.getFirst().path("port").asInt(),
                all.getFirst().path("protocol").asString().equals("amqps"));
    }

    private int receive(Api api) {
        Listener listener = listener(api);
        String where = listener.host() + ":" + listener.port();
        try (Connection connection = connect(api.access(), listener)) {
            Channel channel = connection.createChannel();
            long received = follow ? follow(channel) : take(channel);
            if (received == 0) {
                spec.commandLine().getErr()
                        .println("There are no messages to be had from " + Printable.text(queue) + ".");
                return NOTHING;
            }
            if (form == Form.BODY && System.console() != null) {
                spec.commandLine().getErr().println(Units.count(received, "message") + " received");
            }
            return 0;
        } catch (PossibleAuthenticationFailureException e) {
            throw new ApiRefused(401, where + " has not let '" + api.access().user() + "' in: " + e.getMessage());
        } catch (ShutdownSignalException e) {
            throw new ApiRefused(400, words(e));
        } catch (IOException e) {
            if (e.getCause() instanceof ShutdownSignalException closed) {
                throw new ApiRefused(400, words(closed));
            }
            throw new ApiUnreachable(
                    "can't receive from " + where + ": " + e.getMessage(),
                    List.of("another AMQP listener is said by --amqp HOST:PORT"));
        } catch (TimeoutException e) {
            throw new ApiUnreachable(
                    where + " has not answered in time", List.of("another AMQP listener is said by --amqp HOST:PORT"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private Connection connect(Access access, Listener listener) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(listener.host());
        factory.setPort(listener.port());
        factory.setUsername(access.user());
        factory.setPassword(access.password());
        factory.setVirtualHost(access.virtualHost());
        factory.setConnectionTimeout(CONNECT_MILLIS);
        factory.setAutomaticRecoveryEnabled(false);
        if (listener.tls()) {
            try {
                factory.useSslProtocol(access.trust() == null ? SSLContext.getDefault() : access.trust());
                factory.enableHostnameVerification();
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JVM has TLS", e);
            }
        }
        return factory.newConnection("sluicemq receive");
    }

    /** What the broker said when it closed a channel or a connection. */
    private static String words(ShutdownSignalException closed) {
        return switch (closed.getReason()) {
            case com.rabbitmq.client.AMQP.Channel.Close close -> close.getReplyText();
            case com.rabbitmq.client.AMQP.Connection.Close close -> close.getReplyText();
            case null, default -> closed.getMessage();
        };
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

    private long follow(Channel channel) throws IOException, InterruptedException {
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
        while (received < most) {
            Given next = given.poll(1, TimeUnit.SECONDS);
            if (next == null) {
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
