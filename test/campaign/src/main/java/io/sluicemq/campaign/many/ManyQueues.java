package io.sluicemq.campaign.many;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.sluicemq.campaign.BrokerProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A broker with many queues, a flow of messages through one of them, and somebody who lists queues over HTTP: how long lists take, and
 * what is left of the flow's rate. Rounds with lists and without follow each other, since a machine is not always as fast. The main thread asks and
 * prints.
 */
@Command(name = "many-queues", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Lists the queues of a broker that has many, over HTTP, while messages flow: how long that takes, and what it"
                + " costs the flow.",
        footer = {"", "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class ManyQueues implements Callable<Integer> {

    @Option(names = "--queues", defaultValue = "10000", description = "How many (default: ${DEFAULT-VALUE}).")
    private int queues;

    @Option(names = "--rounds", defaultValue = "5", description = "Pairs of rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "6",
            description = "How long a round takes (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--every-millis", defaultValue = "1000",
            description = "How often a list is asked for (default: ${DEFAULT-VALUE}).")
    private int everyMillis;

    @Option(names = "--bytes", defaultValue = "1024", description = "Of each body (default: ${DEFAULT-VALUE}).")
    private int bytes;

    @Option(names = "--under-way", defaultValue = "2000",
            description = "Messages of the flow under way at most (default: ${DEFAULT-VALUE}).")
    private int underWay;

    @Option(names = "--most-millis", defaultValue = "300",
            description = "What the median list of each kind may take (default: ${DEFAULT-VALUE}).")
    private long mostMillis;

    @Option(names = "--least-ratio", defaultValue = "0.95",
            description = "What must be left of the flow's rate (default: ${DEFAULT-VALUE}).")
    private double leastRatio;

    private int asked;

    private final PrintStream out;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, List<Long>> millis = new LinkedHashMap<>();

    private ManyQueues(PrintStream out) {
        this.out = out;
    }

    /** A command line that prints to a stream. */
    public static CommandLine commandLine(PrintStream out) {
        return new CommandLine(new ManyQueues(out));
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(commandLine(System.out).execute(arguments));
    }

    /** What is asked for: what consoles and command lines ask for. */
    private static final List<String> LISTS = List.of(
            "/api/queues?page=1&page_size=100",
            "/api/queues?page=1&page_size=100&sort=messages&sort_reverse=true",
            "/api/queues?page=1&page_size=100&name=queue.7",
            "/api/queues?columns=name,messages");

    @Override
    public Integer call() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startWithHttp()) {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setHost("127.0.0.1");
            factory.setPort(broker.broker().port());
            declare(factory);
            out.printf("%,d queues; a flow of %,d bytes a message%n", queues, bytes);
            URI base = URI.create("http://127.0.0.1:" + broker.httpPort());
            List<Double> ratios = new ArrayList<>();
            try (Flow flow = new Flow(factory, bytes, underWay)) {
                round(flow, base, false);
                round(flow, base, true); // both to warm up
                millis.clear();
                for (int i = 0; i < rounds; i++) {
                    double alone = round(flow, base, false);
                    double listed = round(flow, base, true);
                    ratios.add(listed / alone);
                    out.printf("round %d: %,.0f messages a second, with lists %,.0f: %.3f%n", i + 1, alone, listed,
                            listed / alone);
                }
            }
            return judged(ratios);
        }
    }

    private int judged(List<Double> ratios) {
        double ratio = ratios.stream().sorted().skip(ratios.size() / 2).findFirst().orElse(0.0);
        boolean right = ratio >= leastRatio;
        out.printf("the median of what is left of the rate: %.3f%n", ratio);
        for (Map.Entry<String, List<Long>> each : millis.entrySet()) {
            List<Long> sorted = each.getValue().stream().sorted().toList();
            long median = sorted.get(sorted.size() / 2);
            out.printf("%-70s median %,d ms, most %,d ms of %d%n", each.getKey(), median, sorted.getLast(),
                    sorted.size());
            right &= median <= mostMillis;
        }
        out.println(right ? "All was right." : "Something was wrong.");
        return right ? 0 : 1;
    }

    private void declare(ConnectionFactory factory) throws IOException, TimeoutException {
        try (Connection connection = factory.newConnection(); Channel channel = connection.createChannel()) {
            for (int i = 0; i < queues; i++) {
                channel.queueDeclareNoWait("queue." + i, false, false, false, null);
                if (i % 1000 == 0) {
                    channel.basicPublish("", "queue." + i, null, new byte[100]);
                }
            }
            channel.queueDeclarePassive("queue." + (queues - 1));
        }
    }

    /** The flow's messages a second, during a round. */
    private double round(Flow flow, URI base, boolean lists) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        long before = flow.received();
        long end = begun + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(everyMillis);
            if (lists) {
                list(base, LISTS.get(asked++ % LISTS.size()));
            }
            long wait = Math.min(next, end) - System.nanoTime();
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
        }
        return (flow.received() - before) * 1e9 / (System.nanoTime() - begun);
    }

    private void list(URI base, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(base.resolve(path))
                .header("Authorization", "Basic "
                        + Base64.getEncoder().encodeToString("guest:guest".getBytes(StandardCharsets.UTF_8)))
                .build();
        long begun = System.nanoTime();
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException(path + " was answered with " + response.statusCode());
        }
        millis.computeIfAbsent(path, key -> new ArrayList<>())
                .add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    }
}
