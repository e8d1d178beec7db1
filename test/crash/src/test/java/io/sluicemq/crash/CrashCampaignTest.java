package io.sluicemq.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few rounds of what {@code bin/crash} does many times. */
class CrashCampaignTest {

    @TempDir
    Path temp;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return CrashCampaign.commandLine(new PrintStream(printed, true, StandardCharsets.UTF_8)).execute(arguments);
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldLoseNothingConfirmedAndBringNothingSettledBack() {
        Path folder = temp.resolve("campaign");

        int exit = run("--rounds", "4", "--longest", "2000", "--folder", folder.toString());

        assertThat(exit).as("what it printed: %s", printed()).isZero();
        assertThat(printed()).contains("--seed ", "killed after", "confirmed", "transactions committed",
                "messages found after restarts");
        assertThat(folder).doesNotExist();
    }

    /** A kill takes nothing from the operating system: an interval between syncs may cost nothing then. */
    @Test
    void shouldLoseNothingToAKillBetweenSyncs() {
        int exit = run("--rounds", "2", "--longest", "1500", "--sync", "interval",
                "--folder", temp.resolve("campaign").toString());

        assertThat(exit).as("what it printed: %s", printed()).isZero();
    }

    @Test
    void shouldKeepTheEvidenceAndSayHowToRepeat() throws Exception {
        Path folder = temp.resolve("campaign");
        Path config = Files.writeString(temp.resolve("wrong.yaml"), "lops: 4\n");

        int exit = run("--rounds", "3", "--seed", "7", "--folder", folder.toString(), "--config", config.toString());

        assertThat(exit).isEqualTo(1);
        assertThat(printed())
                .contains("FAULT: restart 0: the broker has not started, exit code 2: " + config + ":1:1: unknown key")
                .endsWith("repeat with bin/crash --rounds 3 --seed 7 --longest 3000 --config " + config + "\n");
        assertThat(folder.resolve("broker-1.log")).isNotEmptyFile();
    }

    @Test
    void shouldRefuseWhatItDoesNotUnderstand() {
        assertThat(run("--rounds", "0")).isEqualTo(2);
        assertThat(run("--sync", "never")).isEqualTo(2);
        assertThat(run("--sync", "os", "--config", "broker.yaml")).isEqualTo(2);
    }

    @Test
    void shouldNotWorkInAFolderThatHoldsSomething() throws Exception {
        Files.writeString(temp.resolve("thesis.tex"), "precious");

        assertThat(run("--folder", temp.toString())).isEqualTo(2);

        assertThat(temp.resolve("thesis.tex")).hasContent("precious");
    }
}
