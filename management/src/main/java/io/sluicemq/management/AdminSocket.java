package io.sluicemq.management;

import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A Unix domain socket in the data folder, {@value #FILE}, for the user who runs the broker and nobody else. A peer sends one line
 * of JSON, an object that says what it wants, gets one line of JSON, and the connection ends:
 *
 * <pre>
 * {"command": "why", …}      {"answer": {…}}   or   {"error": "what is wrong"}
 * </pre>
 *
 * <p>All of it runs on one thread of its own, so whatever peers do, nothing of the broker waits for them. Answers may come from other
 * threads, later. A peer that takes longer than it may, or sends more than it may, is closed.
 *
 * <p>Invariant: the socket's file is never there with permissions for others, nor does it stand for a broker that does not listen,
 * unless that was killed; the next one replaces it. The folder must belong to this process alone.
 */
public final class AdminSocket implements AutoCloseable {

    /** Its name in the data folder. */
    public static final String FILE = "admin.sock";

    /** Where it is made, out of reach of others until its permissions are right. Shorter than {@link #FILE}: paths have a limit. */
    private static final String WORKSHOP = ".admin";

    private static final int MAX_PEERS = 16;
    private static final long REST_AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final int MAX_REQUEST_BYTES = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(AdminSocket.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** What can be asked for. */
    public interface Commands {

        /**
         * Does what a request wants. Runs on the socket's thread, which it may use for a while: others wait for it then.
         *
         * @return the answer, or in its time; a failure's message is told to the peer
         * @throws IllegalArgumentException if the request makes no sense; its message says why
         */
        CompletableFuture<ObjectNode> run(ObjectNode request);
    }

    private final Path file;
    private final ServerSocketChannel server;
    private final Selector selector;
    /** Without interest while there is a rest after a failure; of the socket's thread, as is the time when that ends. */
    private final SelectionKey accepting;
    private long acceptAgainNanos;
    private final Commands commands;
    private final long limitNanos;
    private final Thread thread;
    private final LogLimit acceptFailures = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final LogLimit commandFailures = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    private final List<Peer> peers = new ArrayList<>();
    private volatile boolean closing;

    private AdminSocket(
            Path file, ServerSocketChannel server, Selector selector, SelectionKey accepting, Commands commands,
            Duration limit) {
        this.accepting = accepting;
        this.file = file;
        this.server = server;
        this.selector = selector;
        this.commands = commands;
        this.limitNanos = limit.toNanos();
        this.thread = Thread.ofPlatform().daemon().name("sluicemq-admin").unstarted(this::serve);
    }

    /** As {@link #open(Path, Duration, Commands)}; a peer may take ten seconds to ask, a command thirty to answer. */
    public static AdminSocket open(Path folder, Commands commands) throws IOException {
        return open(folder, Duration.ofSeconds(30), commands);
    }

    /**
     * Listens in a folder. A file that another process has left there is replaced.
     *
     * @param limit how long a peer may take to ask, the answer to come, and the peer to read a part of it; each
     * @throws IOException if that is not possible, for example since the path is longer than the system allows (107 bytes on
     *     Linux)
     */
    static AdminSocket open(Path folder, Duration limit, Commands commands) throws IOException {
        Path file = folder.resolve(FILE);
        ServerSocketChannel server = null;
        Selector selector = null;
        try {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            bind(server, folder, file);
            server.configureBlocking(false);
            selector = Selector.open();
            SelectionKey accepting = server.register(selector, SelectionKey.OP_ACCEPT);
            AdminSocket socket = new AdminSocket(file, server, selector, accepting, commands, limit);
            socket.thread.start();
            server = null;
            selector = null;
            return socket;
        } finally {
            if (selector != null) {
                selector.close();
            }
            if (server != null) {
                server.close();
            }
        }
    }

    private static void bind(ServerSocketChannel server, Path folder, Path file) throws IOException {
        FileStore store = Files.getFileStore(folder);
        if (!store.supportsFileAttributeView(PosixFileAttributeView.class)) {
            Files.deleteIfExists(file);
            server.bind(UnixDomainSocketAddress.of(file)); // as private as the folder
            return;
        }
        // Whoever can write to a socket's file can connect. The system makes it by the process' umask, so it is made where nobody
        // else can get.
        Path workshop = folder.resolve(WORKSHOP);
        Path fresh = workshop.resolve("s");
        Files.deleteIfExists(fresh);
        Files.deleteIfExists(workshop);
        Files.createDirectory(
                workshop, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            server.bind(UnixDomainSocketAddress.of(fresh));
            // The longer of both paths must fit, too: else it is there and nobody can name it.
            UnixDomainSocketAddress.of(file);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
            Files.deleteIfExists(workshop);
        }
    }

    /** The socket's file. */
    public Path file() {
        return file;
    }

    /** Ends it: peers are cut, the file is gone. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve() {
        try {
            while (!closing) {
                selector.select(this::serve, pauseMillis());
                for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
                    answer.run();
                }
                cutTheLate();
                acceptAgain();
            }
        } catch (IOException | ClosedSelectorException e) {
            LogEvent.ADMIN_SOCKET_ENDED.log(LOG, "{} does not listen any more: {}", file, e.toString());
        } finally {
            end();
        }
    }

    private void end() {
        List.copyOf(peers).forEach(Peer::close);
        try {
            server.close();
            selector.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LogEvent.ADMIN_SOCKET_NOT_CLOSED.log(LOG, "{} was not closed in order: {}", file, e.toString());
        }
    }

    private void serve(SelectionKey key) {
        if (key.attachment() instanceof Peer peer) {
            peer.serve();
        } else {
            accept();
        }
    }

    private void accept() {
        try {
            SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            Peer peer = new Peer(channel);
            peers.add(peer);
            peer.begin();
        } catch (IOException e) {
            long now = System.nanoTime();
            long times = acceptFailures.take(now);
            if (times > 0) {
                LogEvent.ADMIN_ACCEPT_FAILED.log(LOG, "a connection to {} could not be accepted: {}{}", file,
                        e.toString(), more(times));
            }
            // Mostly no file descriptor is left: at once it would fail again.
            accepting.interestOps(0);
            acceptAgainNanos = now + REST_AFTER_FAILURE_NANOS;
        }
    }

    private void acceptAgain() {
        if (accepting.interestOps() == 0 && acceptAgainNanos - System.nanoTime() <= 0) {
            accepting.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private static String more(long times) {
        return times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)";
    }

    /** Until the first peer is late, or it is time to accept again; 0 for ever. */
    private long pauseMillis() {
        long now = System.nanoTime();
        long first = accepting.interestOps() == 0 ? acceptAgainNanos - now : Long.MAX_VALUE;
        for (Peer peer : peers) {
            first = Math.min(first, peer.deadlineNanos - now);
        }
        return first == Long.MAX_VALUE ? 0 : Math.max(1, first / 1_000_000 + 1);
    }

    private void cutTheLate() {
        long now = System.nanoTime();
        for (Peer peer : List.copyOf(peers)) {
            if (peer.deadlineNanos - now <= 0) {
                peer.late();
            }
        }
    }

    private static byte[] line(String key, JsonNode value) {
        ObjectNode node = JSON.createObjectNode();
        node.set(key, value);
        return (JSON.writeValueAsString(node) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** One connection: first its request comes, then its answer goes. Used by the socket's thread. */
    private final class Peer {

        private final SocketChannel channel;
        private ByteBuffer in = ByteBuffer.allocate(1024);
        private ByteBuffer out;
        private boolean asked;
        private SelectionKey key;
        private long deadlineNanos;

        Peer(SocketChannel channel) {
            this.channel = channel;
            extend();
        }

        private void extend() {
            deadlineNanos = System.nanoTime() + limitNanos;
        }

        void begin() throws IOException {
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_READ, this);
            if (peers.size() > MAX_PEERS) {
                fail("there are " + MAX_PEERS + " other connections already: try again");
            }
        }

        void serve() {
            try {
                if (out != null) {
                    write();
                } else {
                    read();
                }
            } catch (IOException e) {
                close(); // it went away
            }
        }

        private void read() throws IOException {
            int count = channel.read(in);
            if (count < 0) {
                close();
                return;
            }
            int end = lineEnd();
            if (end >= 0) {
                ask(new String(in.array(), 0, end, StandardCharsets.UTF_8));
            } else if (in.position() >= MAX_REQUEST_BYTES) {
                fail("the request is longer than " + MAX_REQUEST_BYTES + " bytes");
            } else if (!in.hasRemaining()) {
                in = ByteBuffer.allocate(in.capacity() * 2).put(in.flip());
            }
        }

        private int lineEnd() {
            for (int i = 0; i < in.position(); i++) {
                if (in.get(i) == '\n') {
                    return i;
                }
            }
            return -1;
        }

        private void ask(String line) throws IOException {
            asked = true;
            key.interestOps(0);
            extend();
            CompletableFuture<ObjectNode> answer;
            try {
                answer = commands.run(request(line));
            } catch (IllegalArgumentException e) {
                fail(e.getMessage());
                return;
            } catch (RuntimeException e) {
                long times = commandFailures.take(System.nanoTime());
                if (times > 0) {
                    LogEvent.COMMAND_FAILED.log(LOG, "a command failed: this is a defect of the broker{}", more(times),
                            e);
                }
                fail("the command failed: " + e);
                return;
            }
            answer.whenComplete((node, failure) -> {
                answers.add(() -> answered(node, failure));
                selector.wakeup();
            });
        }

        private static ObjectNode request(String line) {
            try {
                if (JSON.readTree(line) instanceof ObjectNode object) {
                    return object;
                }
            } catch (JacksonException e) {
                throw new IllegalArgumentException("the request is not JSON: " + e.getOriginalMessage(), e);
            }
            throw new IllegalArgumentException("the request is no object: expected {\"command\": …}");
        }

        private void answered(ObjectNode node, Throwable failure) {
            if (out != null || !channel.isOpen()) {
                return; // it came too late
            }
            try {
                if (failure == null) {
                    answer(line("answer", node));
                } else {
                    Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
                    fail(cause.getMessage() == null ? cause.toString() : cause.getMessage());
                }
            } catch (IOException e) {
                close();
            }
        }

        private void fail(String message) throws IOException {
            answer(line("error", JSON.getNodeFactory().stringNode(message)));
        }

        private void answer(byte[] bytes) throws IOException {
            out = ByteBuffer.wrap(bytes);
            extend();
            write();
        }

        private void write() throws IOException {
            if (channel.write(out) > 0) {
                extend();
            }
            if (out.hasRemaining()) {
                key.interestOps(SelectionKey.OP_WRITE);
            } else {
                close();
            }
        }

        void late() {
            try {
                if (out == null) {
                    fail(asked ? "there was no answer in time" : "no request came in time");
                } else {
                    close();
                }
            } catch (IOException e) {
                close();
            }
        }

        void close() {
            peers.remove(this);
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("a connection to {} was not closed in order", file, e);
            }
        }
    }
}
