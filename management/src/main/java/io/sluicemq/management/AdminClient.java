package io.sluicemq.management;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Asks the broker that runs on a data folder, by its {@link AdminSocket}. Stateless; the caller's thread waits. */
public final class AdminClient {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private AdminClient() {}

    /**
     * Sends a request and returns its answer.
     *
     * @param folder the broker's data folder; a relative path is used as it is, since the system limits the length of a socket's
     *     path
     * @param limit for all of it
     */
    public static JsonNode ask(Path folder, ObjectNode request, Duration limit) throws AdminUnreachable, AdminRefused {
        Path file = folder.resolve(AdminSocket.FILE);
        String line = talk(folder, file, JSON.writeValueAsString(request) + "\n", limit);
        JsonNode answer;
        try {
            answer = JSON.readTree(line);
        } catch (JacksonException e) {
            throw new AdminUnreachable(file + " has not answered in full", e);
        }
        if (answer.hasNonNull("error")) {
            throw new AdminRefused(answer.get("error").asString());
        }
        if (!answer.hasNonNull("answer")) {
            throw new AdminUnreachable(file + " has not answered in full", null);
        }
        return answer.get("answer");
    }

    private static String talk(Path folder, Path file, String request, Duration limit) throws AdminUnreachable {
        if (!Files.isDirectory(folder)) {
            throw new AdminUnreachable("there is no folder " + folder + ": name the broker's data folder by --data",
                    null);
        }
        if (Files.notExists(file)) {
            throw new AdminUnreachable("no broker runs on " + folder + ": there is no " + file, null);
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            // Reads of such a channel have no time limit of their own: closing it ends them.
            Thread.ofVirtual().start(() -> {
                try {
                    answer.complete(exchange(channel, file, request));
                } catch (IOException | RuntimeException e) {
                    answer.completeExceptionally(e);
                }
            });
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AdminUnreachable("the broker on " + folder + " has not answered in " + limit.toSeconds() + " s",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminUnreachable("interrupted while waiting for an answer", e);
        } catch (ExecutionException e) {
            throw unreachable(folder, file, e.getCause());
        } catch (IOException e) {
            throw unreachable(folder, file, e);
        }
    }

    private static AdminUnreachable unreachable(Path folder, Path file, Throwable failure) {
        if (failure instanceof ConnectException) {
            return new AdminUnreachable("no broker runs on " + folder + ": nobody listens at " + file, failure);
        }
        String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return new AdminUnreachable(file + " can't be used: " + reason + hint(reason), failure);
    }

    private static String hint(String reason) {
        if (reason.contains("too long")) {
            return "; go to a folder near it, and name it by a relative path";
        }
        return reason.contains("ermission") ? "; it is for the user who runs the broker" : "";
    }

    private static String exchange(SocketChannel channel, Path file, String request) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(file));
        ByteBuffer out = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
        IOException refused = null;
        try {
            while (out.hasRemaining()) {
                channel.write(out);
            }
        } catch (IOException e) {
            refused = e; // it has answered before it was asked, and why is what counts
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        ByteBuffer in = ByteBuffer.allocate(16 << 10);
        try {
            while (!endsLine(in) && channel.read(in.clear()) >= 0) {
                answer.write(in.array(), 0, in.position());
            }
        } catch (IOException e) {
            refused = refused == null ? e : refused;
        }
        if (answer.size() == 0 && refused != null) {
            throw refused;
        }
        return answer.toString(StandardCharsets.UTF_8);
    }

    private static boolean endsLine(ByteBuffer in) {
        return in.position() > 0 && in.get(in.position() - 1) == '\n';
    }
}
