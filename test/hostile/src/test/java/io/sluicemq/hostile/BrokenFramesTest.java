package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Wrong frames in every state of a conversation: the right error on the right level, one line in the log (spec §4.2). */
class BrokenFramesTest {

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        broker = new TestBroker();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void forgetTheLog() {
        broker.forgetLines();
    }

    @AfterEach
    void isStillWell() throws IOException {
        broker.servesOthers();
        broker.isUnharmed();
    }

    /** What a peer has said before it goes wrong. */
    private static final Map<String, List<byte[]>> STATES = new LinkedHashMap<>();

    static {
        List<byte[]> said = List.of(
                RawFrames.protocolHeader(), RawFrames.startOkPlain("guest", "guest"),
                RawFrames.tuneOk(2047, 131_072, 0), RawFrames.connectionOpen("/"), RawFrames.channelOpen(1),
                RawFrames.publish(1, "", "q", false, false), RawFrames.header(1, 100, RawFrames.persistent()),
                RawFrames.body(1, new byte[50]));
        List<String> names = List.of(
                "started", "authenticated", "tuned", "open", "with a channel", "before a header", "before a body",
                "within a body");
        for (int i = 0; i < said.size(); i++) {
            STATES.put(names.get(i), said.subList(0, i + 1));
        }
    }

    /** States of peers in no virtual host yet: how often these are logged is bounded for all together. */
    private static final List<String> STRANGE = List.of("started", "authenticated", "tuned");

    private static final Map<String, byte[]> WRONG = new LinkedHashMap<>();

    static {
        WRONG.put("an unknown frame type", RawFrames.frame(7, 0, new byte[4]));
        WRONG.put("a frame of 4 GiB", RawFrames.frame(1, 1, 0xFFFF_FFFFL, new byte[4], 0xCE));
        WRONG.put("a frame without its end", RawFrames.frame(1, 0, 4, new byte[4], 0));
        WRONG.put("an empty method frame", RawFrames.frame(1, 0, new byte[0]));
        WRONG.put("a method that does not exist", RawFrames.method(0, 999, 999, none -> {}));
        WRONG.put("a method for servers", RawFrames.method(0, 10, 10, none -> {}));
        WRONG.put("a connection method on channel 1", RawFrames.method(1, 10, 31, none -> {}));
        WRONG.put("a channel method on channel 0", RawFrames.channelOpen(0));
        WRONG.put("a frame on a channel that is not open", RawFrames.queuePurge(77, "q", false));
        WRONG.put("content on channel 0", RawFrames.body(0, new byte[5]));
        WRONG.put("a header of class 10", RawFrames.header(1, 10, 0, 5, RawFrames.persistent()));
        WRONG.put("a negative body size", RawFrames.header(1, -1, RawFrames.persistent()));
        WRONG.put("a heartbeat with a payload", RawFrames.frame(8, 0, new byte[1]));
        WRONG.put("a table that is cut short", RawFrames.method(1, 50, 10, method -> method.shortInt(0).shortString("q")
                .bits(false).longInt(1000).octet(1)));
        WRONG.put("a table bomb", RawFrames.queueDeclare(1, "q", table -> table.field("a", 'F', value -> {
            for (int depth = 0; depth < 10_000; depth++) {
                value.longInt(1 << 20).shortString("a").octet('F');
            }
        })));
        WRONG.put("a message that is not UTF-8", RawFrames.publish(1, "\uDC80", "q", false, true));
        WRONG.put("random bytes", new byte[] {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4});
    }

    static Stream<Arguments> wrongFramesInEachState() {
        return STATES.keySet().stream()
                .flatMap(state -> WRONG.keySet().stream().map(wrong -> Arguments.of(state, wrong)));
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("wrongFramesInEachState")
    void shouldEndInAnErrorAndOneLine(String state, String wrong) throws IOException {
        try (RawPeer peer = RawPeer.dial(broker.port())) {
            peer.send(RawFrames.join(STATES.get(state).toArray(byte[][]::new)));
            peer.send(WRONG.get(wrong), RawFrames.heartbeat());
            RawFrame close = null;
            for (RawFrame frame = peer.read(); frame != null; frame = peer.read()) {
                if (frame.isMethod(10, 50)) {
                    close = frame;
                    peer.send(RawFrames.connectionCloseOk());
                }
            }
            assertThat(close).as("connection.close").isNotNull();
            assertThat(close.closeCode()).isBetween(501, 541);
            assertThat(broker.lines()).hasSizeLessThanOrEqualTo(1).allMatch(line -> line.contains("connection error"));
            if (!STRANGE.contains(state)) {
                assertThat(broker.lines()).as("a line, as the peer is in a virtual host").hasSize(1);
            }
        }
    }

    @Test
    void shouldEndWhereverTheStreamIsCut() throws IOException {
        int end = conversation("q").length;
        for (int length = 0; length < end; length++) {
            try (RawPeer peer = RawPeer.dial(broker.port())) {
                peer.send(Arrays.copyOf(conversation("q" + length), length));
                if (length % 3 == 0) {
                    peer.cut();
                } else if (length % 3 == 1) {
                    peer.shutdownOutput();
                    peer.readToEnd();
                }
            }
        }
        assertThat(broker.lines()).isEmpty();
    }

    private static byte[] conversation(String queue) {
        return RawFrames.join(
                RawFrames.protocolHeader(), RawFrames.startOkPlain("guest", "guest"), RawFrames.tuneOk(0, 0, 1),
                RawFrames.connectionOpen("/"), RawFrames.channelOpen(1),
                RawFrames.queueDeclare(1, queue, table -> table.field("x-max-length", 5), false, false, true),
                RawFrames.consume(1, queue, "t", none -> {}, false, false, false, false), RawFrames.txSelect(1),
                RawFrames.message(1, "", queue, new byte[20], 7), RawFrames.txCommit(1), RawFrames.get(1, queue, false),
                RawFrames.channelClose(1, 200, ""), RawFrames.connectionClose(200, ""));
    }

    @Test
    void shouldLogStrangersAtABoundedRate() throws IOException {
        for (int i = 0; i < 200; i++) {
            try (RawPeer peer = RawPeer.dial(broker.port())) {
                peer.send(RawFrames.protocolHeader(), RawFrames.channelOpen(1));
                assertThat(peer.connectionCloseCode()).isEqualTo(505);
                peer.readToEnd();
            }
        }
        assertThat(broker.lines()).hasSizeLessThan(30);
    }

    @Test
    void shouldTakeNamesAndNumbersAtTheirEdges() throws IOException {
        try (RawPeer peer = broker.peer()) {
            String longest = "n".repeat(255);
            for (String name : List.of(longest, "\u0000", "ä".repeat(127))) {
                peer.send(RawFrames.queueDeclare(1, name, none -> {}, false, false, true));
                peer.expect(1, 50, 11);
                peer.send(RawFrames.message(1, "", name, new byte[0], 10), RawFrames.get(1, name, true));
                peer.skipTo(1, 60, 71);
                peer.read();
                peer.send(RawFrames.queueDelete(1, name));
                peer.skipTo(1, 50, 41);
            }
            int channel = 1;
            for (int ttl : List.of(-1, Integer.MIN_VALUE)) {
                peer.send(RawFrames.queueDeclare(channel, "q", table -> table.field("x-message-ttl", ttl)));
                assertThat(peer.channelCloseCode(channel)).isEqualTo(406);
                peer.channel(++channel);
            }
            peer.bye();
        }
        assertThat(broker.lines()).hasSize(2);
    }
}
