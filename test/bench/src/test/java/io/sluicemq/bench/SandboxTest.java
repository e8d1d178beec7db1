package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SandboxTest {

    private static List<String> shell(String script) {
        return List.of("/bin/sh", "-c", script);
    }

    @Test
    void shouldEndItsProcessesWithTheirChildrenAndDeleteItsFolder() throws Exception {
        Path folder;
        Process process;
        ProcessHandle child;
        try (Sandbox sandbox = new Sandbox()) {
            folder = sandbox.folder();
            process = sandbox.start("parent", folder, Map.of(), shell("echo data > file; sleep 600; true"));
            await().until(() -> process.descendants().findAny().isPresent());
            child = process.descendants().findAny().orElseThrow();
            assertThat(Sandbox.family(process)).containsExactly(process.pid(), child.pid());
        }

        assertThat(process.isAlive()).isFalse();
        await().until(() -> !child.isAlive());
        assertThat(folder).doesNotExist();
    }

    @Test
    void shouldStartNothingMoreOnceItIsClosed() {
        Sandbox sandbox = new Sandbox();
        sandbox.close();

        assertThatThrownBy(() -> sandbox.start("late", Path.of("/"), Map.of(), shell("true")))
                .isInstanceOf(PeerFailure.class);
    }

    @Test
    void shouldShowTheLastLinesOfACommandThatFails() throws Exception {
        try (Sandbox sandbox = new Sandbox()) {
            assertThatThrownBy(() -> sandbox.run(
                    "fetch",
                    sandbox.folder(),
                    Map.of("WHY", "no network"),
                    Duration.ofMinutes(1),
                    shell("echo \"$WHY\"; exit 3")))
                    .isInstanceOf(PeerFailure.class)
                    .hasMessage("fetch ended with exit code 3:\n    no network");
        }
    }

    @Test
    void shouldNotWaitLongerThanTheLimit() throws Exception {
        try (Sandbox sandbox = new Sandbox()) {
            Process process = sandbox.start("slow", sandbox.folder(), Map.of(), shell("exec sleep 600"));

            assertThatThrownBy(() -> sandbox.awaitReady("slow", process, Duration.ofMillis(1), () -> false))
                    .isInstanceOf(PeerFailure.class)
                    .hasMessageStartingWith("slow was not ready within");
            assertThatThrownBy(() -> sandbox.run(
                    "slower", sandbox.folder(), Map.of(), Duration.ofSeconds(0), shell("exec sleep 600")))
                    .isInstanceOf(PeerFailure.class)
                    .hasMessageStartingWith("slower did not end within");
        }
    }

    @Test
    void shouldSayThatAProcessEndedBeforeItWasReady() throws Exception {
        try (Sandbox sandbox = new Sandbox()) {
            Process process = sandbox.start("broken", sandbox.folder(), Map.of(), shell("echo port taken; exit 1"));

            assertThatThrownBy(
                    () -> sandbox.awaitReady("broken", process, Duration.ofMinutes(1), () -> false))
                    .isInstanceOf(PeerFailure.class)
                    .hasMessage("broken ended at its start with exit code 1:\n    port taken");
        }
    }

    @Test
    void shouldKeepErrorsApartWhereAsked() throws Exception {
        try (Sandbox sandbox = new Sandbox()) {
            Process process = sandbox.startWithErrorsApart("tool", shell("echo result; echo trouble >&2"));
            assertThat(process.waitFor()).isZero();

            assertThat(Files.readString(sandbox.log("tool"))).isEqualTo("result\n");
            assertThat(Files.readString(sandbox.folder().resolve("tool.err"))).isEqualTo("trouble\n");
        }
    }
}
