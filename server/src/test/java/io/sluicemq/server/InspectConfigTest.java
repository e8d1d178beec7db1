package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.Explanation;
import io.sluicemq.server.config.JsonSchema;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.ServerOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InspectConfigTest {

    private static final String EXAMPLE = """
            data: /var/lib/sluicemq
            storage: {sync: interval, max-size: none}
            listeners:
              outside:
                host: 0.0.0.0
              "true":
                port: 0
            virtual-hosts: [/, "a b"]
            users:
              - name: ann
                password: "a # secret"
              - name: "007"
                password: "x"
                virtual-hosts: ["a b"]
            limits:
              heartbeat: 30s
              message-memory: 20%
            address-settings:
              - match: "#"
                max-size-bytes: 10MiB
                address-full-policy: BLOCK
                hold-limit: none
                consumer: {message-count: 5, policy: {name: delete, cut: consumer}}
            topics:
              - key: "stocks.*"
                consumer: {rate: 5, policy: {name: notify}}
            virtual-host-limits:
              - {name: "a b", max-messages: 5}
            """;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldFindAValidFileValidAndTouchNothing() throws Exception {
        int code = InspectConfig.check(options(EXAMPLE), new PrintWriter(out), new PrintWriter(err));

        assertThat(code).isZero();
        assertThat(out.toString()).isEqualToIgnoringNewLines(folder.resolve("c.yaml") + " is valid.");
        assertThat(err.toString()).isEmpty();
        assertThat(folder).isDirectoryContaining("glob:**/c.yaml").isDirectoryNotContaining("glob:**/data");
    }

    @Test
    void shouldTellAllThatIsWrongInOnePass() throws Exception {
        ServeOptions options = options("""
                limits: {heartbeat: soon}
                listeners: {amqps: {tls: {certificate: none.pem, key: none.key}}}
                """);

        int code = InspectConfig.check(options, new PrintWriter(out), new PrintWriter(err));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).startsWith(folder.resolve("c.yaml") + ":1:21: limits.heartbeat is 'soon'");
    }

    @Test
    void shouldRefuseHalfOfAListenersTls() throws Exception {
        ServeOptions options = new ServeOptions(null, folder, null, null, null,
                List.of("listeners.amqps.tls.certificate=server.pem"), Map.of());

        int code = InspectConfig.check(options, new PrintWriter(out), new PrintWriter(err));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains("listeners.amqps.tls has no 'key': expected a path");
    }

    @Test
    void shouldShowAsEffectiveWhatIsReadAsTheSame() throws Exception {
        ServeOptions options = options(EXAMPLE);
        int code = InspectConfig.showEffective(options, new PrintWriter(out), new PrintWriter(err));

        assertThat(code).isZero();
        String text = out.toString();
        assertThat(text).doesNotContain("a # secret").contains("\"(secret)\"");
        assertThat(text).containsPattern("heartbeat: 30s +# .*c\\.yaml:16:14\n");
        assertThat(text).containsPattern("channel-max: 2047\n");
        ServerConfig read = config(text.replaceFirst("\"\\(secret\\)\"", "\"a # secret\"")
                .replaceFirst("\"\\(secret\\)\"", "x"));
        assertThat(read).usingRecursiveComparison().isEqualTo(config(EXAMPLE));
    }

    @Test
    void shouldShowWhatACommandLineAndTheEnvironmentSay() {
        ServeOptions options = new ServeOptions(null, null, null, 7, null, List.of("limits.heartbeat=5s"),
                Map.of("SLUICEMQ__LOOPS", "3"));

        InspectConfig.showEffective(options, new PrintWriter(out), new PrintWriter(err));

        assertThat(out.toString())
                .containsPattern("heartbeat: 5s +# --set\n")
                .containsPattern("loops: 3 +# SLUICEMQ__LOOPS\n")
                .containsPattern("port: 7 +# command line\n")
                .doesNotContain("tls:");
    }

    @Test
    void shouldShowTheListenerThatIsThereByDefault() throws Exception {
        InspectConfig.showEffective(options("limits: {heartbeat: 7s}\n"), new PrintWriter(out), new PrintWriter(err));

        String text = out.toString();
        assertThat(text)
                .containsPattern("listeners: +# default\n  amqp:\n    host: \"127\\.0\\.0\\.1\"\n    port: 5672\n")
                .containsPattern("data: data +# default\n")
                .containsPattern("enabled: true +# default\n");
        assertThat(config(text)).usingRecursiveComparison().isEqualTo(config("limits: {heartbeat: 7s}\n"));
    }

    @Test
    void shouldExplainEveryKey() throws Exception {
        for (String key : keys("", ServerOptions.ROOT)) {
            assertThat(Explanation.of(key)).as(key).startsWith(key + "\n\n  ");
        }
        assertThat(Explanation.of("limits.heartbeat"))
                .contains("The time between heartbeats")
                .contains("  default   60s\n")
                .contains("  changes   after a restart\n")
                .contains("  variable  SLUICEMQ__LIMITS__HEARTBEAT\n");
        assertThat(Explanation.of("address-settings[orders.#].max-messages")).contains("  changes   at once");
        assertThat(Explanation.of("listeners.amqp.port")).contains("SLUICEMQ__LISTENERS__AMQP__PORT");
        assertThat(Explanation.of("")).contains("virtual-hosts");
    }

    @Test
    void shouldNameTheNearestKeyToExplain() {
        int code = InspectConfig.explain("limits.hartbeat", new PrintWriter(out), new PrintWriter(err));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString())
                .isEqualToIgnoringNewLines(
                        "sluicemq config explain: unknown key 'hartbeat' in limits: did you mean 'heartbeat'?");
    }

    @Test
    void shouldNameTheKeysThatEndInTheOneToExplain() {
        assertThat(InspectConfig.explain("max-messages", new PrintWriter(out), new PrintWriter(err))).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluicemq config explain: no key is called 'max-messages' in full, but ")
                .contains("address-settings.max-messages and ").contains("virtual-host-limits.max-messages");
    }

    @Test
    void shouldSayThatNoFileWasNamed() {
        ServeOptions options = new ServeOptions(null, folder, null, null, null, List.of(), Map.of());

        assertThat(InspectConfig.check(options, new PrintWriter(out, true), new PrintWriter(err))).isZero();
        assertThat(out.toString()).startsWith("No file was named by --config: the defaults");
    }

    @Test
    void shouldHaveASchemaThatTakesWhatTheBrokerTakes() throws Exception {
        assertThat(violations(EXAMPLE)).isEmpty();
        assertThat(violations(Files.readString(repository().resolve("dist/src/main/conf/sluicemq.yaml")))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "limits: {heartbeat: soon}", "limits: {channel-max: 0}", "limitz: {}", "virtual-hosts: /",
        "anonymous-login: yes please",
        "address-settings: [{max-messages: 5}]", "address-settings: [{match: a, address-full-policy: explode}]",
        "address-settings: [{match: a, max-size-bytes: 10 bananas}]", "listeners: {a: {tls: {key: x}}}",
        "users: [{name: a}]",
        "storage: {sync: sometimes}", "address-settings: [{match: a, low-water: 80}]"
    })
    void shouldHaveASchemaThatRefusesWhatTheBrokerRefuses(String yaml) throws Exception {
        assertThat(violations(yaml)).isNotEmpty();
        assertThat(InspectConfig.check(options(yaml), new PrintWriter(out), new PrintWriter(err))).isEqualTo(2);
    }

    private static List<Error> violations(String yaml) {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(JsonSchema.of(ServerOptions.ROOT), InputFormat.JSON);
        return schema.validate(yaml, InputFormat.YAML);
    }

    private ServeOptions options(String yaml) throws Exception {
        Path file = Files.writeString(folder.resolve("c.yaml"), yaml);
        return new ServeOptions(file, null, null, null, null, List.of(), Map.of());
    }

    private ServerConfig config(String yaml) throws Exception {
        try {
            return Serve.source(options(yaml)).read().config();
        } catch (ConfigException e) {
            throw new AssertionError(yaml, e);
        }
    }

    private static List<String> keys(String prefix, Section section) {
        List<String> keys = new ArrayList<>();
        for (Entry entry : section.entries()) {
            String key = prefix + entry.key();
            keys.add(key);
            switch (entry) {
                case Option<?> option -> {}
                case Section inner -> keys.addAll(keys(key + ".", inner));
                case NamedSections named -> keys.addAll(keys(key + ".NAME.", named.item()));
                case SectionList list -> keys.addAll(keys(key + ".", list.item()));
            }
        }
        return keys;
    }

    private static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
