package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that make as much of everything as they may, go round in circles, or leave in the middle. */
class ManyThingsTest {

    private final TestBroker broker = new TestBroker();

    @AfterEach
    void isStillWell() throws IOException {
        broker.servesOthers();
        broker.isUnharmed();
        broker.close();
    }

    @Test
    void shouldOpenAllChannelsAndNoMore() throws IOException {
        try (RawPeer peer = RawPeer.open(broker.port())) {
            for (int channel = 1; channel <= 2047; channel++) {
                peer.send(RawFrames.channelOpen(channel));
            }
            for (int channel = 1; channel <= 2047; channel++) {
                peer.expect(channel, 20, 11);
            }
            peer.send(RawFrames.channelOpen(65_535));
            assertThat(peer.connectionCloseCode()).isEqualTo(530);
        }
    }

    @Test
    void shouldReuseAChannelsNumberHoweverItsEndsCross() throws IOException {
        try (RawPeer peer = RawPeer.open(broker.port())) {
            for (int i = 0; i < 500; i++) {
                // The broker's close and the client's cross; the number is used again at once.
                peer.send(RawFrames.channelOpen(1), RawFrames.queuePurge(1, "missing", false),
                        RawFrames.channelClose(1, 200, ""), RawFrames.channelCloseOk(1));
            }
            peer.bye();
        }
    }

    @Test
    void shouldTakeThousandsOfQueuesBindingsAndConsumersOfOneConnection() throws IOException {
        try (RawPeer peer = broker.peer()) {
            for (int i = 0; i < 5_000; i++) {
                int number = i;
                peer.send(RawFrames.queueDeclare(1, "q" + i, none -> {}, false, false, true, false, true),
                        RawFrames.queueBind(1, "q" + i, "amq.headers", "", true, table -> table.field("x-match", "any")
                                .field("h" + number % 100, number)),
                        RawFrames.consume(1, "q" + i, "t" + i, none -> {}, false, true, false, true));
            }
            byte[] headers = new RawArguments().shortInt(0x2000).table(table -> table.field("h7", 107).field("h8", 108))
                    .toBytes();
            peer.send(RawFrames.publish(1, "amq.headers", "", false, false), RawFrames.header(1, 0, headers));
            peer.skipTo(1, 60, 60);
            peer.skipTo(1, 60, 60);
            broker.servesOthers();
            peer.cut();
        }
    }

    @Test
    void shouldCarryDeadLettersThroughALongChainAndCutItsCircle() throws IOException {
        int queues = 500;
        try (RawPeer peer = broker.peer()) {
            for (int i = 0; i < queues; i++) {
                String next = "c" + (i + 1) % queues;
                peer.send(RawFrames.queueDeclare(1, "c" + i, table -> table.field("x-dead-letter-exchange", "")
                        .field("x-dead-letter-routing-key", next).field("x-message-ttl", 0), false, false, true, false,
                        true));
            }
            for (int i = 0; i < 20; i++) {
                peer.send(RawFrames.message(1, "", "c0", new byte[10], 100));
            }
            await().untilAsserted(() -> assertThat(broker.broker().counters().droppedInCycles()).isEqualTo(20));
            assertThat(broker.broker().counters().deadLettered()).isEqualTo(20L * (queues - 1));
            peer.bye();
        }
    }

    /** A message whose header a client cannot take comes to its queue again and again, with nobody's help. */
    @Test
    void shouldCutTheCircleOfAMessageThatItsConsumerCannotTake() throws IOException {
        byte[] large =
                new RawArguments().shortInt(0x2000).table(table -> table.field("large", "x".repeat(6000))).toBytes();
        try (RawPeer peer = broker.peer(); RawPeer consumer = RawPeer.open(broker.port(), 0, 100, 4096, 0).channel(1)) {
            peer.send(RawFrames.queueDeclare(1, "q", table -> table.field("x-dead-letter-exchange", "")
                    .field("x-dead-letter-routing-key", "q")));
            peer.expect(1, 50, 11);
            consumer.send(RawFrames.consume(1, "q", "t", none -> {}, false, false, false, false));
            consumer.expect(1, 60, 21);
            for (int i = 0; i < 100; i++) {
                peer.send(RawFrames.publish(1, "", "q", false, false), RawFrames.header(1, 0, large));
            }
            await().untilAsserted(() -> assertThat(broker.broker().counters().droppedInCycles()).isEqualTo(100));
            peer.send(RawFrames.message(1, "", "q", new byte[1], 100));
            consumer.expect(1, 60, 60);
            consumer.cut();
            peer.send(RawFrames.queueDelete(1, "q"));
            peer.expect(1, 50, 41);
            peer.bye();
        }
        assertThat(broker.lines()).hasSizeLessThan(8);
    }

    @Test
    void shouldServeOthersDuringARequeueStorm() throws IOException {
        try (RawPeer peer = broker.peer()) {
            peer.send(RawFrames.queueDeclare(1, "q", none -> {}, false, false, true));
            peer.expect(1, 50, 11);
            peer.send(RawFrames.message(1, "", "q", new byte[10], 100),
                    RawFrames.consume(1, "q", "t", none -> {}, false, false, false, false));
            for (int i = 0; i < 20_000; i++) {
                ByteBuffer delivery = peer.skipTo(1, 60, 60).arguments();
                RawFrame.shortString(delivery);
                peer.send(RawFrames.nack(1, delivery.getLong(), false, true));
                if (i % 5_000 == 0) {
                    broker.servesOthers();
                }
            }
            peer.cut();
        }
    }

    @Test
    void shouldEndWhatConnectionsLeaveInTheMiddle() throws IOException {
        try (RawPeer keeper = broker.peer().queue(1, "q")) {
            for (int i = 0; i < 60; i++) {
                RawPeer peer = broker.peer().channel(2).channel(3);
                peer.send(RawFrames.txSelect(1), RawFrames.message(1, "", "q", new byte[2_000_000], 100_000),
                        RawFrames.consume(2, "q", "t", none -> {}, false, i % 2 == 0, false, false),
                        RawFrames.message(2, "", "q", new byte[10], 100),
                        RawFrames.publish(3, "", "q", false, false),
                        RawFrames.header(3, 3_000_000, RawFrames.persistent()), RawFrames.body(3, new byte[100_000]),
                        RawFrames.queueDeclare(2, "", none -> {}, false, false, true));
                if (i % 3 == 0) {
                    peer.cut();
                } else if (i % 3 == 1) {
                    peer.close();
                } else {
                    peer.send(RawFrames.connectionClose(200, ""));
                    peer.skipTo(0, 10, 51);
                    peer.close();
                }
            }
            keeper.send(RawFrames.queueDelete(1, "q"));
            keeper.expect(1, 50, 41);
            keeper.bye();
        }
    }

    @Test
    void shouldForgetThousandsOfPeersThatNeverLogIn() throws IOException {
        List<RawPeer> peers = new ArrayList<>();
        for (int i = 0; i < 900; i++) {
            RawPeer peer = RawPeer.dial(broker.port());
            peers.add(peer);
            if (i % 2 == 0) {
                peer.send(RawFrames.protocolHeader());
            }
        }
        broker.servesOthers();
        for (RawPeer peer : peers) {
            peer.cut();
        }
    }
}
