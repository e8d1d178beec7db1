package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.server.SluiceMQ;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that ask a running broker, as people give them. */
class RunningBrokerTest {

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path file;
    private SluiceMQ broker;

    @BeforeEach
    void start() throws Exception {
        file = Files.writeString(folder.resolve("broker.yaml"), "loops: 1\n");
        broker = SluiceMQ.builder().config(file).port(0).data(folder.resolve("d")).start();
    }

    @AfterEach
    void stop() {
        broker.stop();
    }

    @Test
    void shouldSayWhoWaits() {
        assertThat(run("why")).isZero();
        assertThat(run("why", "orders")).isZero();

        assertThat(out.toString().lines()).containsExactly(
                "Nobody waits, and no address is full.",
                "There is no address 'orders', and no connection with that in its name waits.");
    }

    @Test
    void shouldListAddresses() {
        assertThat(run("addresses", "-o", "json")).isZero();

        assertThat(out.toString()).contains("\"addresses\"");
    }

    @Test
    void shouldReload() throws Exception {
        Files.writeString(file, """
                loops: 2
                address-settings:
                  - match: "orders.#"
                    max-size-bytes: 10MiB
                    address-full-policy: block
                """);

        assertThat(run("reload")).isZero();

        assertThat(out.toString().lines())
                .containsExactly("Read " + file + " again: changed address-settings.", "Needs a restart: loops.");
    }

    @Test
    void shouldRefuseToReloadAFileThatIsNotValid() throws Exception {
        Files.writeString(file, "address-settings: [{match: 'a..b'}]");

        assertThat(run("reload")).isEqualTo(2);

        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines()).containsExactly(
                file + ":1:28: address-settings[0].match 'a..b' has an empty word: expected words with a dot between them,"
                        + " such as orders.*",
                "sluicemq reload: the file is not valid, so nothing has changed");
    }

    @Test
    void shouldSayThatThereIsNoBroker() {
        broker.stop();

        assertThat(run("why")).isEqualTo(1);

        assertThat(err.toString())
                .startsWith("sluicemq why: no broker runs on " + folder.resolve("d") + ": there is no ");
    }

    private int run(String... arguments) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--data";
        all[arguments.length + 1] = folder.resolve("d").toString();
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), all);
    }
}
