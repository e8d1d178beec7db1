package io.sluicemq.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.engine.Shortage;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.cli.OneLineErrors;
import io.sluicemq.cli.text.Units;
import io.sluicemq.management.AdminSocket;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The commands by a real socket, with a broker's answers as they may be. */
class AdminCommandsTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<ObjectNode> asked = new ArrayList<>();
    private CompletableFuture<ObjectNode> answer = new CompletableFuture<>();
    private AdminSocket socket;

    @BeforeEach
    void open() throws IOException {
        socket = AdminSocket.open(folder, request -> {
            asked.add(request);
            return answer;
        });
    }

    @AfterEach
    void close() {
        socket.close();
    }

    @Test
    void shouldSayWhoWaitsAndWhoCouldMakeRoom() {
        answer(
                new AddressState(
                        "/", "orders", "queue",
                        new AddressLimits(1_000_000, -1, FullPolicy.BLOCK, 80, -1, -1, false),
                        993_280, 97, 993_280, 2_048, 2, 0, 3,
                        List.of(
                                new AddressState.Waiting("10.0.0.1:5000 -> 10.0.0.2:5672", "channel 2",
                                        "max-size-bytes 1000000", 4_230, 1, 12, 122_880),
                                new AddressState.Waiting("10.0.0.3:6000 -> 10.0.0.2:5672", "channel 1",
                                        "max-size-bytes 1000000", 200_000, 2, 1, 1_024),
                                new AddressState.Waiting("10.0.0.5:6000 -> 10.0.0.2:5672", "credit of link 'l'",
                                        "max-size-bytes 1000000", 1_000, 3, 0, 0)),
                        List.of(
                                new AddressState.QueueState("orders", 90, 0, 7, List.of(
                                        new AddressState.ConsumerState("10.0.0.4:7000 -> 10.0.0.2:5672", "ctag1", 7,
                                                12.54))),
                                new AddressState.QueueState("audit\u001b[31m", 97, 3, 0, List.of()))),
                new AddressState(
                        "/", "news", "exchange",
                        new AddressLimits(-1, 10, FullPolicy.RING, 80, -1, -1, false),
                        2_048, 10, 2_048, 0, 0, 1, 0, List.of(), List.of()));

        assertThat(run(new WhyCommand())).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "queue orders in virtual host /: 3 producers wait",
                "  holds 970.0 KiB of 976.6 KiB, 97 messages; policy block",
                "  2 messages and 2.0 KiB of that are reserved for producers with credit",
                "  3 messages refused so far",
                "  1. channel 2 of 10.0.0.1:5000 -> 10.0.0.2:5672 has waited 4.2 s for max-size-bytes 1000000, with"
                        + " 12 messages, 120.0 KiB",
                "  2. channel 1 of 10.0.0.3:6000 -> 10.0.0.2:5672 has waited 3 min 20 s for max-size-bytes 1000000, with"
                        + " 1 message, 1.0 KiB",
                "  3. credit of link 'l' of 10.0.0.5:6000 -> 10.0.0.2:5672 has waited 1.0 s for max-size-bytes 1000000",
                "  who could make room:",
                "    queue orders: 90 ready, 7 unacknowledged",
                "      consumer ctag1 of 10.0.0.4:7000 -> 10.0.0.2:5672: 7 unacknowledged, acknowledges 12.5 a second",
                "    queue audit\\u001b[31m: 97 ready, 3 delayed, 0 unacknowledged, and no consumer",
                "",
                "exchange news in virtual host /: nobody waits",
                "  holds 2.0 KiB, 10 of 10 messages; policy ring",
                "  1 message dropped so far");
        assertThat(asked).containsExactly(BrokerQuestion.command("why"));
    }

    @Test
    void shouldSayThatNobodyWaits() {
        answer();

        assertThat(run(new WhyCommand())).isZero();
        assertThat(run(new WhyCommand(), "orders")).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "Nobody waits, and no address is full.",
                "There is no address 'orders', and no connection with that in its name waits.");
        assertThat(asked.getLast().get("subject").asString()).isEqualTo("orders");
    }

    @Test
    void shouldSayThatEverybodyWaits() {
        ObjectNode node = JSON.createObjectNode().put("leftOff", 0);
        node.withArray("addresses");
        node.set("shortage",
                JSON.valueToTree(new Shortage("messages take more memory than the budget of 19 MiB", 4_230)));
        answer.complete(node);

        assertThat(run(new WhyCommand())).isZero();
        assertThat(run(new WhyCommand(), "orders")).isZero();

        String shortage =
                "Whoever publishes waits, wherever to, for 4.2 s now: messages take more memory than the budget of"
                        + " 19 MiB";
        assertThat(out.toString().lines()).containsExactly(
                shortage,
                "No address is full.",
                shortage,
                "There is no address 'orders', and no connection with that in its name waits.");
    }

    @Test
    void shouldListNoLimitOfMemoryAsOneOfTheAddress() {
        answer(
                new AddressState("/", "a", "queue", new AddressLimits(1 << 20, 5, FullPolicy.PAGE, 80, -1, -1, false),
                        2 << 20, 10, 2 << 20, 0, 0, 0, 0, List.of(), List.of()),
                new AddressState("/", "b", "queue",
                        new AddressLimits(1 << 20, 5, FullPolicy.PAGE, 80, 1 << 30, -1, false),
                        2 << 20, 10, 2 << 20, 0, 0, 0, 0, List.of(), List.of()));

        assertThat(run(new AddressesCommand())).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "VIRTUAL HOST  ADDRESS  KIND     BYTES    LIMIT  MESSAGES  LIMIT  POLICY  WAITING  DROPPED  REFUSED",
                "/             a        queue  2.0 MiB        -        10      -  page          0        0        0",
                "/             b        queue  2.0 MiB  1.0 GiB        10      -  page          0        0        0");
    }

    @Test
    void shouldTellLimitsOfMemoryFromThoseOfAll() {
        AddressLimits all = new AddressLimits(1 << 20, 5, FullPolicy.PAGE, 80, 1 << 30, -1, false);
        answer(
                new AddressState("/", "a", "queue", all, 2 << 20, 10, 2 << 20, 0, 0, 0, 0, List.of(), List.of()),
                new AddressState(
                        "/", "b", "queue", AddressLimits.UNLIMITED, 2 << 20, 1, 2 << 20, 0, 0, 0, 0, List.of(),
                        List.of()));

        assertThat(run(new WhyCommand(), "a")).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "queue a in virtual host /: nobody waits",
                "  holds 2.0 MiB of 1.0 GiB, 10 messages, in memory at most 1.0 MiB and 5 messages; policy page",
                "",
                "queue b in virtual host /: nobody waits",
                "  holds 2.0 MiB, 1 message; policy page");
    }

    @Test
    void shouldNameOnlyTheFirstOfMany() {
        List<AddressState.Waiting> many = Stream.iterate(1, i -> i + 1)
                .limit(50)
                .map(i -> new AddressState.Waiting("c" + i, "channel 1", "max-messages 1", 5, i, 1, 10))
                .toList();
        answer(new AddressState(
                "orders", "orders", "virtual host", new AddressLimits(-1, 1, FullPolicy.BLOCK, 80, -1, -1, false),
                10, 1, 10, 0, 0, 0, 0, many, List.of()));

        assertThat(run(new WhyCommand())).isZero();

        assertThat(out.toString().lines())
                .startsWith("virtual host orders: 50 producers wait")
                .contains("  … and 30 more producers")
                .endsWith("  no queue holds its messages: room comes as soon as those under way are done")
                .hasSize(24);
    }

    @Test
    void shouldPrintWhatProgramsRead() {
        answer(new AddressState(
                "/", "a", "queue", AddressLimits.UNLIMITED, 5, 1, 5, 0, 0, 0, 0, List.of(), List.of()));

        assertThat(run(new WhyCommand(), "-o", "json")).isZero();

        JsonNode printed = JSON.readTree(out.toString());
        assertThat(printed.get("addresses").get(0).get("usedBytes").asInt()).isEqualTo(5);
        assertThat(printed.get("addresses").get(0).get("limits").get("policy").asString()).isEqualTo("PAGE");
        assertThat(printed.get("leftOff").asInt()).isZero();
    }

    @Test
    void shouldListAddresses() {
        answer(
                new AddressState("/", "a", "queue", AddressLimits.UNLIMITED, 5, 1, 5, 0, 0, 0, 0, List.of(), List.of()),
                new AddressState("orders", "long.name", "exchange",
                        new AddressLimits(20 << 20, 1000, FullPolicy.DROP, 80, -1, -1, false),
                        10 << 20, 1000, 10 << 20, 0, 0, 12, 0, List.of(), List.of()));

        assertThat(run(new AddressesCommand())).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "VIRTUAL HOST  ADDRESS    KIND         BYTES     LIMIT  MESSAGES  LIMIT  POLICY  WAITING  DROPPED  REFUSED",
                "/             a          queue          5 B         -         1      -  page          0        0        0",
                "orders        long.name  exchange  10.0 MiB  20.0 MiB      1000   1000  drop          0       12        0");
    }

    @Test
    void shouldSayThatThereAreNoAddresses() {
        answer();

        assertThat(run(new AddressesCommand())).isZero();

        assertThat(out.toString().lines()).containsExactly("There are no addresses.");
    }

    @Test
    void shouldSayWhatAReloadHasChanged() {
        ObjectNode node = JSON.createObjectNode().put("file", "a.yaml");
        node.putArray("applied").add("address-settings");
        node.putArray("needRestart").add("limits.heartbeat").add("users");
        answer.complete(node);

        assertThat(run(new ReloadCommand())).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "Read a.yaml again: changed address-settings.",
                "Needs a restart: limits.heartbeat, users.");
    }

    @Test
    void shouldTellTheMistakesOfAFileAndEndWithTwo() {
        ObjectNode node = JSON.createObjectNode();
        node.putArray("problems").add("a.yaml:1:1: unknown key 'x'").add("a.yaml:2:1: unknown key 'y'");
        answer.complete(node);

        assertThat(run(new ReloadCommand())).isEqualTo(2);

        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines()).containsExactly(
                "a.yaml:1:1: unknown key 'x'",
                "a.yaml:2:1: unknown key 'y'",
                "reload: the file is not valid, so nothing has changed");
        assertThat(run(new ReloadCommand(), "-o", "json")).isEqualTo(2);
    }

    @Test
    void shouldEndWithOneWhenTheBrokerRefusesOrIsNotThere() {
        answer.completeExceptionally(new IllegalStateException("this broker was started without a configuration file"));
        assertThat(run(new ReloadCommand())).isEqualTo(1);
        socket.close();
        assertThat(run(new WhyCommand())).isEqualTo(1);
        assertThat(execute(new WhyCommand(), "--data", folder + "/none")).isEqualTo(1);

        assertThat(err.toString().lines()).containsExactly(
                "reload: this broker was started without a configuration file",
                "why: no broker runs on " + folder + ": there is no " + folder.resolve("admin.sock"),
                "why: there is no folder " + folder + "/none: name the broker's data folder by --data");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void shouldEndWithTwoForAWrongCommandLine() {
        assertThat(run(new WhyCommand(), "a", "b")).isEqualTo(2);
        assertThat(run(new WhyCommand(), "-o", "xml")).isEqualTo(2);
        assertThat(run(new AddressesCommand(), "--all")).isEqualTo(2);
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1.0 KiB", "1048523, 1023.9 KiB", "1048525, 1.0 MiB",
        "12897485, 12.3 MiB", "1610612736, 1.5 GiB", "9223372036854775807, 8388608.0 TiB"})
    void shouldWriteSizes(long bytes, String text) {
        assertThat(Units.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 ms", "999, 999 ms", "4230, 4.2 s", "59949, 59.9 s", "59950, 1 min 0 s", "200000, 3 min 20 s",
        "3599499, 59 min 59 s", "3599500, 1 h 0 min", "7500000, 2 h 5 min"})
    void shouldWriteTimes(long millis, String text) {
        assertThat(Units.millis(millis)).isEqualTo(text);
    }

    private void answer(AddressState... states) {
        ObjectNode node = JSON.createObjectNode().put("leftOff", 0);
        for (AddressState state : states) {
            node.withArray("addresses").add(JSON.valueToTree(state));
        }
        node.withArray("addresses");
        answer.complete(node);
    }

    private int run(Callable<Integer> command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--data", folder.toString()));
        all.addAll(List.of(arguments));
        return execute(command, all.toArray(String[]::new));
    }

    private int execute(Callable<Integer> command, String... arguments) {
        return new CommandLine(command)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setParameterExceptionHandler(new OneLineErrors())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments);
    }
}
