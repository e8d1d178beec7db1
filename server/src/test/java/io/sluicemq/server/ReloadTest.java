package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.management.AdminClient;
import io.sluicemq.management.AdminRefused;
import io.sluicemq.management.AdminSocket;
import io.sluicemq.server.config.ConfigException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What can be asked and changed while a broker runs, in this JVM and by its socket. */
class ReloadTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    Path folder;

    @Test
    void shouldTakeWhatCanChangeAndNameWhatCannot() throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), "limits: {heartbeat: 60s}\n");
        try (SluiceMQ broker = SluiceMQ.builder().config(file).port(0).start()) {
            assertThat(broker.reload()).isEqualTo(new Reload(file, List.of(), List.of()));

            Files.writeString(file, """
                    limits: {heartbeat: 30s}
                    users: [{name: a, password: b}]
                    address-settings: [{match: a, max-messages: 1, address-full-policy: block}]
                    """);
            assertThat(broker.reload())
                    .isEqualTo(new Reload(file, List.of("users", "address-settings"), List.of("limits.heartbeat")));
            // What holds already is no change; what needs a restart still does.
            assertThat(broker.reload())
                    .isEqualTo(new Reload(file, List.of(), List.of("limits.heartbeat")))
                    .hasToString(
                            "read " + file + " again: nothing to change; needs a restart: limits.heartbeat");

            Files.writeString(file, "virtual-host-limits: [{name: /, max-messages: 10}]");
            assertThat(broker.reload())
                    .isEqualTo(new Reload(file, List.of("users", "address-settings", "virtual-host-limits"),
                            List.of("virtual-host-limits of '/', which had none")));
        }
    }

    @Test
    void shouldSayWhichLimitsSetAtRunTimeItUndoes() throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"),
                "address-settings: [{match: orders, max-messages: 10, address-full-policy: block}]\n");
        try (SluiceMQ broker = SluiceMQ.builder().config(file).port(0).start()) {
            broker.limitAddresses("orders", Map.of("max-messages", "40"));
            broker.limitAddresses("bills", Map.of("max-size-bytes", "1MiB"));
            broker.hostLimits().set("/", "max-queues", Optional.of(5L));
            assertThat(broker.limitsSetAtRunTime()).isEqualTo(
                    Map.of("orders", Map.of("max-messages", "40"), "bills", Map.of("max-size-bytes", "1MiB")));

            assertThat(broker.reload()).hasToString("read " + file + " again: changed address-settings of orders"
                    + " (undone: max-messages=40, set at run time), address-settings of bills (undone:"
                    + " max-size-bytes=1MiB, set at run time), virtual-host-limits of / (undone: max-queues=5, set at"
                    + " run time)");
            assertThat(broker.limitsSetAtRunTime()).isEmpty();
            assertThat(broker.hostLimits().all().get("/")).isEmpty();

            broker.limitAddresses("orders", Map.of("max-messages", "20"));
            Files.writeString(file,
                    "address-settings: [{match: orders, max-messages: 20, address-full-policy: block}]\n");
            assertThat(broker.reload().applied()).as("what the file says now, too, is not undone")
                    .containsExactly("address-settings");

            broker.addressSettings(List.of(AddressSetting.match("b").maxSizeBytes(5)));
            assertThat(broker.reload().applied())
                    .containsExactly("address-settings (undone: what the embedding program has set)");
        }
    }

    @Test
    void shouldChangeNothingByAFileThatIsNotValid() throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), "loops: 1\n");
        try (SluiceMQ broker = SluiceMQ.builder().config(file).port(0).data(folder.resolve("d")).start()) {
            Files.writeString(file, "loops: 1\naddress-settings: [{match: a*, max-messages: 1}, {match: b}]");

            assertThatThrownBy(broker::reload)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith(file + ":2:28: address-settings[0].match 'a*' has a wildcard inside");
            JsonNode answer = ask("{\"command\": \"reload\"}");
            assertThat(answer.get("problems").get(0).asString()).startsWith(file + ":2:28: address-settings[0].match");

            Files.writeString(file, "loops: 1\naddress-settings: [{match: b, max-messages: 1}]");
            assertThat(ask("{\"command\": \"reload\"}"))
                    .isEqualTo(JSON.readTree("{\"file\": \"" + file
                            + "\", \"applied\": [\"address-settings\"], \"needRestart\": []}"));
        }
    }

    @Test
    void shouldNotReadAgainWhatWasNeverThere() {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(folder.resolve("d")).start()) {
            assertThatThrownBy(broker::reload)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("this broker was started without a configuration file");
            assertThatThrownBy(() -> ask("{\"command\": \"reload\"}"))
                    .isInstanceOf(AdminRefused.class)
                    .hasMessage("this broker was started without a configuration file");
        }
    }

    @Test
    void shouldTakeAddressSettingsFromTheApplication() {
        AddressSetting one = AddressSetting.match("a.#")
                .maxSizeBytes(1 << 20)
                .maxMessages(10)
                .fullPolicy(FullPolicy.BLOCK)
                .lowWaterPercent(50)
                .holdLimit(Duration.ofSeconds(25));
        try (SluiceMQ broker = SluiceMQ.builder().port(0).addressSettings(one).start()) {
            broker.addressSettings(List.of(AddressSetting.match("b").maxSizeBytes(5)));
            broker.addressSettings(List.of());
            assertThatThrownBy(() -> broker.addressSettings(List.of(one, one)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the call: address-settings has 'a.#' twice");
            assertThatThrownBy(() -> broker.addressSettings(List.of(AddressSetting.match("a").maxMessages(0))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the call: max-messages of 'a' is '0': expected a whole number, or none, at least 1");
        }
        assertThatThrownBy(() -> SluiceMQ.builder().addressSettings(one, one).start())
                .isInstanceOf(StartFailure.class)
                .hasMessage("the builder: address-settings has 'a.#' twice");
    }

    @Test
    void shouldConfigureWhatTheBuilderSays() throws Exception {
        var config = SluiceMQ.builder()
                .virtualHosts("/", "orders")
                .addressSettings(AddressSetting.match("a.#").maxSizeBytes(7).fullPolicy(FullPolicy.FAIL))
                .virtualHostLimit("orders", 1L << 30, null)
                .toConfig();

        assertThat(config.addressSettings().limitsOf("a.b").policy()).isEqualTo(FullPolicy.FAIL);
        assertThat(config.addressSettings().limitsOf("a.b").maxBytes()).isEqualTo(7);
        assertThat(config.virtualHostLimits().get("orders").maxBytes()).isEqualTo(1 << 30);
        assertThatThrownBy(() -> SluiceMQ.builder().virtualHostLimit("ordres", 5L, null).toConfig())
                .hasMessageContaining("virtual-host-limits[0].name is 'ordres', which does not exist");
    }

    @Test
    void shouldAnswerByItsSocketAsLongAsItRuns() throws Exception {
        Path data = folder.resolve("d");
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(data).start()) {
            assertThat(ask("{\"command\": \"why\"}"))
                    .isEqualTo(JSON.readTree("{\"addresses\": [], \"leftOff\": 0}"));
            assertThat(ask("{\"command\": \"why\", \"subject\": \"nothing\"}").get("addresses")).isEmpty();
            assertThat(ask("{\"command\": \"addresses\"}").get("leftOff").asInt()).isZero();
            assertThat(broker.addressStates()).isEmpty();
            assertThatThrownBy(() -> ask("{\"command\": \"dance\"}"))
                    .isInstanceOf(AdminRefused.class)
                    .hasMessage("there is no command 'dance': expected one of why, addresses, reload, users");
            assertThatThrownBy(() -> ask("{}")).isInstanceOf(AdminRefused.class);
        }
        assertThat(data.resolve(AdminSocket.FILE)).doesNotExist();
    }

    @Test
    void shouldRunWithoutASocketWhereItsPathIsTooLong() throws Exception {
        Path deep = folder;
        while (deep.toString().length() < 120) {
            deep = deep.resolve("a-rather-long-name");
        }
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(deep).start()) {
            assertThat(broker.counters().connections()).isZero();
            assertThat(deep.resolve(AdminSocket.FILE)).doesNotExist();
            assertThat(deep.resolve(".admin")).doesNotExist();
        }
    }

    @Test
    void shouldReadAgainUponHangUp() throws Exception {
        Path file = Files.writeString(folder.resolve("a.yaml"), "loops: 1\n");
        try (JavaProcess process = JavaProcess.start(folder, ServeMain.class, "port=0", "config=" + file)) {
            assertThat(process.nextLine()).startsWith("SluiceMQ ready");
            Files.writeString(file, "loops: none\n");

            assertThat(new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor()).isZero();
            // The file is not valid, so its mistake is logged. The end of the process ends its log.
            String problem = file + ":1:8: loops is 'none'";
            process.awaitErr(problem);

            process.terminate();
            assertThat(process.exitCode()).isZero();
            assertThat(process.err()).contains("the configuration is not valid, so nothing of it has changed:");
        }
    }

    @Test
    void shouldAnswerWhyWithThoseThatWaitOrAreFull() {
        AddressState empty = state("empty", 0, FullPolicy.BLOCK);
        AddressState nearlyFull = state("ring", 96, FullPolicy.RING);
        AddressState paged = state("paged", 200, FullPolicy.PAGE);
        AddressState waiting = state("waiting", 50, FullPolicy.BLOCK, "1.2.3.4:5 -> b", "1.2.3.4:6 -> b");
        List<AddressState> all = List.of(empty, nearlyFull, paged, waiting);

        assertThat(AdminCommands.why(all, null)).containsExactly(nearlyFull, waiting);
        assertThat(AdminCommands.why(all, "empty")).containsExactly(empty);
        assertThat(AdminCommands.why(all, "4:6"))
                .containsExactly(state("waiting", 50, FullPolicy.BLOCK, "1.2.3.4:6 -> b"));
        assertThat(AdminCommands.why(all, "nobody")).isEmpty();
    }

    private static AddressState state(String name, long bytes, FullPolicy policy, String... connections) {
        AddressLimits limits = new AddressLimits(100, -1, policy, 80, -1, -1, false);
        List<AddressState.Waiting> waiting = List.of(connections).stream()
                .map(each -> new AddressState.Waiting(each, "channel 1", "max-size-bytes 100", 10, 1, 2, 30))
                .toList();
        return new AddressState("/", name, "queue", limits, bytes, 1, bytes, 0, 0, 0, 0, waiting, List.of());
    }

    private JsonNode ask(String request) throws Exception {
        return AdminClient.ask(folder.resolve("d"), (ObjectNode) JSON.readTree(request), Duration.ofSeconds(20));
    }
}
