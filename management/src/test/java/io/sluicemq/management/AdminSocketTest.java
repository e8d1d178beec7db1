package io.sluicemq.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class AdminSocketTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    /** Below the system's folder for such, so its path is short. */
    @TempDir
    Path folder;

    @Test
    void shouldAnswerOneRequestAConnection() throws Exception {
        try (AdminSocket socket = AdminSocket.open(folder, AdminSocketTest::echo)) {
            assertThat(ask("ä line")).isEqualTo("ä line");
            assertThat(ask("x".repeat(50_000))).hasSize(50_000);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.file())))
                    .isEqualTo("rw-------");
            assertThat(names()).containsExactly("admin.sock");
        }
        assertThat(folder).isEmptyDirectory();
        assertThatThrownBy(() -> ask("x"))
                .isInstanceOf(AdminUnreachable.class)
                .hasMessage("no broker runs on " + folder + ": there is no " + folder.resolve("admin.sock"));
    }

    @Test
    void shouldAnswerFromAnotherThreadInAnyOrder() throws Exception {
        CompletableFuture<ObjectNode> slow = new CompletableFuture<>();
        AdminSocket.Commands commands =
                request -> request.path("text").asString().equals("slow") ? slow : echo(request);
        try (AdminSocket socket = AdminSocket.open(folder, commands)) {
            CompletableFuture<String> first = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    first.complete(ask("slow"));
                } catch (AdminUnreachable | AdminRefused e) {
                    first.completeExceptionally(e);
                }
            });
            assertThat(ask("quick")).isEqualTo("quick");
            assertThat(first).isNotDone();

            slow.complete(JSON.createObjectNode().put("text", "at last"));

            assertThat(first.get()).isEqualTo("at last");
            assertThat(socket.file()).exists();
        }
    }

    @Test
    void shouldTellWhatIsWrongAndGoOn() throws Exception {
        AdminSocket.Commands commands = request -> switch (request.path("text").asString()) {
            case "late" -> CompletableFuture.failedFuture(new IllegalStateException("it broke"));
            case "wrong" -> throw new IllegalArgumentException("no such thing");
            default -> echo(request);
        };
        try (AdminSocket socket = AdminSocket.open(folder, commands)) {
            assertThatThrownBy(() -> ask("late")).isInstanceOf(AdminRefused.class).hasMessage("it broke");
            assertThatThrownBy(() -> ask("wrong")).isInstanceOf(AdminRefused.class).hasMessage("no such thing");
            assertThat(raw(socket, "nonsense\n")).startsWith("{\"error\":\"the request is not JSON: ");
            assertThat(raw(socket, "[1]\n"))
                    .isEqualTo("{\"error\":\"the request is no object: expected {\\\"command\\\": …}\"}\n");
            assertThat(raw(socket, "x".repeat(AdminSocket.MAX_REQUEST_BYTES)))
                    .isEqualTo("{\"error\":\"the request is longer than 65536 bytes\"}\n");
            assertThat(ask("fine")).isEqualTo("fine");
        }
    }

    @Test
    void shouldReplaceWhatAKilledBrokerHasLeft() throws Exception {
        Path file = folder.resolve(AdminSocket.FILE);
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(file));
        }
        Files.createDirectory(folder.resolve(".admin"));
        Files.writeString(folder.resolve(".admin/s"), "");
        assertThat(file).exists();
        assertThatThrownBy(() -> ask("x"))
                .isInstanceOf(AdminUnreachable.class)
                .hasMessage("no broker runs on " + folder + ": nobody listens at " + file);

        try (AdminSocket socket = AdminSocket.open(folder, AdminSocketTest::echo)) {
            assertThat(ask("here")).isEqualTo("here");
            assertThat(names()).containsExactly("admin.sock");
            assertThat(socket.file()).isEqualTo(file);
        }
    }

    @Test
    void shouldCutPeersThatTakeTooLong() throws Exception {
        AdminSocket.Commands never = request -> new CompletableFuture<>();
        try (AdminSocket socket = AdminSocket.open(folder, SHORT, never)) {
            assertThat(raw(socket, "{\"command\"")).isEqualTo("{\"error\":\"no request came in time\"}\n");
            assertThatThrownBy(() -> ask("x")).isInstanceOf(AdminRefused.class)
                    .hasMessage("there was no answer in time");
        }
    }

    @Test
    void shouldCutAPeerThatDoesNotReadItsAnswer() throws Exception {
        AdminSocket.Commands large = request -> CompletableFuture.completedFuture(
                JSON.createObjectNode().put("text", "x".repeat(8 << 20)));
        try (AdminSocket socket = AdminSocket.open(folder, SHORT, large);
                SocketChannel deaf = connect(socket)) {
            deaf.write(ByteBuffer.wrap("{}\n".getBytes(StandardCharsets.UTF_8)));

            // It is closed with most of the answer unsent.
            assertThatThrownBy(() -> await().atMost(LONG).until(() -> deaf.write(ByteBuffer.allocate(1)) < 0))
                    .hasStackTraceContaining("Broken pipe");
        }
    }

    @Test
    void shouldServeOnlySoManyAtATime() throws Exception {
        List<SocketChannel> idle = new ArrayList<>();
        try (AdminSocket socket = AdminSocket.open(folder, AdminSocketTest::echo)) {
            for (int i = 0; i < 16; i++) {
                idle.add(connect(socket));
            }
            assertThatThrownBy(() -> ask("one more"))
                    .hasMessage("there are 16 other connections already: try again");

            idle.removeFirst().close();

            await().atMost(LONG).ignoreExceptionsInstanceOf(AdminRefused.class).until(() -> ask("now"), "now"::equals);
        } finally {
            for (SocketChannel channel : idle) {
                channel.close();
            }
        }
    }

    @Test
    void shouldRefuseAFolderWhoseNameIsTooLongAndTakeARelativeOne() throws Exception {
        Path deep = folder;
        while (deep.toString().length() < 120) {
            deep = deep.resolve("a-rather-long-name");
        }
        Path tooDeep = Files.createDirectories(deep);

        assertThatThrownBy(() -> AdminSocket.open(tooDeep, AdminSocketTest::echo))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too long");
        assertThat(tooDeep).isEmptyDirectory();
        Files.writeString(tooDeep.resolve(AdminSocket.FILE), "");
        assertThatThrownBy(() -> AdminClient.ask(tooDeep, JSON.createObjectNode(), LONG))
                .isInstanceOf(AdminUnreachable.class)
                .hasMessageContaining("too long")
                .hasMessageEndingWith("; go to a folder near it, and name it by a relative path");
    }

    @Test
    void shouldSayThatThereIsNoSuchFolder() {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> AdminClient.ask(missing, JSON.createObjectNode(), LONG))
                .isInstanceOf(AdminUnreachable.class)
                .hasMessage("there is no folder " + missing + ": name the broker's data folder by --data");
    }

    private static CompletableFuture<ObjectNode> echo(ObjectNode request) {
        return CompletableFuture.completedFuture(
                JSON.createObjectNode().put("text", request.path("text").asString()));
    }

    private String ask(String text) throws AdminUnreachable, AdminRefused {
        return AdminClient.ask(folder, JSON.createObjectNode().put("text", text), LONG).get("text").asString();
    }

    private static SocketChannel connect(AdminSocket socket) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket.file()));
    }

    /** Sends bytes as they are, and returns all that comes back. */
    private static String raw(AdminSocket socket, String bytes) throws IOException {
        try (SocketChannel channel = connect(socket)) {
            ByteBuffer out = ByteBuffer.wrap(bytes.getBytes(StandardCharsets.UTF_8));
            while (out.hasRemaining()) {
                channel.write(out);
            }
            StringBuilder answer = new StringBuilder();
            ByteBuffer in = ByteBuffer.allocate(1024);
            while (channel.read(in) >= 0) {
                answer.append(StandardCharsets.UTF_8.decode(in.flip()));
                in.clear();
            }
            return answer.toString();
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
