package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * A seeded fuzz of everything that reads a client's bytes: sessions of valid frames are mutated, mostly within frames
 * that stay well delimited so that the mutations get past the framing, and decoded in random pieces. Whatever comes,
 * only faults may come out; what was decoded has to be readable, editable and the same for heap and direct buffers.
 *
 * <p>As a program it runs for as long as it is told: {@code HostileFramesFuzz [seconds [first seed]]}. It prints the
 * seed of a failure; {@code HostileFramesFuzz 0 SEED} repeats exactly that one.
 */
public final class HostileFramesFuzz {

    private static final int[] INTERESTING =
            {0, 1, 2, 3, 8, 10, 40, 60, 0x7F, 0x80, 0xC0, 0xCE, 0xFF, 'S', 'F', 'A', 't'};

    private HostileFramesFuzz() {}

    /** Runs for {@code args[0]} seconds (default 60) from seed {@code args[1]} (default: of the time) on. */
    public static void main(String[] args) {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 60;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long runs = 0;
        System.out.println("first seed " + seed);
        do {
            try {
                run(seed + runs);
            } catch (AssertionError | RuntimeException e) {
                System.out.println("FAILED: repeat with the arguments 0 " + (seed + runs));
                throw e;
            }
            runs++;
        } while (System.nanoTime() < end);
        System.out.println(runs + " sessions, no failure");
    }

    /** Decodes one mutated session. */
    static void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] stream = session(random);
        try {
            Outcome heap = decode(stream, new SplittableRandom(seed), false);
            Outcome direct = decode(stream, new SplittableRandom(seed), true);
            if (!heap.equals(direct)) {
                throw new AssertionError("heap and direct buffers differ: " + heap + " and " + direct);
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(stream), e);
        }
    }

    private record Outcome(List<Object> calls, List<ProtocolFault> faults) {

        /** Records with arrays in them differ by identity; their printed forms do not tell. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Outcome that && printed().equals(that.printed());
        }

        @Override
        public int hashCode() {
            return printed().hashCode();
        }

        private String printed() {
            return (calls + " " + faults).replaceAll("\\[B@[0-9a-f]+", "bytes");
        }
    }

    private static Outcome decode(byte[] stream, SplittableRandom random, boolean direct) {
        FrameDecoder decoder = new FrameDecoder(new ShortStringCache());
        if (random.nextBoolean()) {
            decoder.frameMax(131_072);
        }
        Recorder recorder = new Recorder();
        List<ProtocolFault> faults = new ArrayList<>();
        ByteBuf in = direct ? Unpooled.directBuffer(stream.length) : Unpooled.buffer(stream.length);
        int at = 0;
        while (at < stream.length) {
            int piece = Math.min(stream.length - at, 1 + random.nextInt(random.nextBoolean() ? 20 : 2000));
            in.writeBytes(stream, at, piece);
            at += piece;
            boolean more = true;
            while (more) {
                int before = in.readableBytes();
                try {
                    int missing = decoder.decode(in, recorder);
                    check(missing > 0, "decode() wants nothing");
                    more = false;
                } catch (ProtocolFaultException e) {
                    ProtocolFault fault = e.fault();
                    check(fault.hard(), "a soft fault");
                    faults.add(fault);
                    check(fault.streamLost() || in.readableBytes() < before, "no progress");
                    FrameEncoder.connectionClose(Unpooled.buffer(), fault);
                }
            }
        }
        in.release();
        recorder.calls.forEach(HostileFramesFuzz::use);
        return new Outcome(recorder.calls, faults);
    }

    /** What has been accepted must be usable. */
    private static void use(Object call) {
        if (call instanceof Recorder.Header header) {
            BasicProperties properties = header.properties();
            Map<String, Object> headers = properties.headers();
            headers.forEach((name, value) -> check(
                    properties.hasHeader(name) && Objects.equals(properties.header(name), value), "a header differs"));
            properties.replyTo();
            properties.clusterId();
            properties.timestamp();
            check(properties.edit().build().equals(properties), "an empty edit changes properties");
            BasicProperties edited = properties.edit()
                    .setHeader("x-death", List.of(headers)).remove(BasicProperty.EXPIRATION).build();
            check(edited.headers().size() >= 1, "an edit is lost");
            ByteBuf out = Unpooled.buffer();
            FrameEncoder.contentHeader(out, 1, header.bodySize(), properties);
            check(out.readableBytes() == properties.headerFrameLength(), "a wrong length");
            rewrite(headers);
        } else if (call instanceof Recorder.Publish publish) {
            ShortString.of(publish.exchange());
            ShortString.of(publish.routingKey());
        } else if (call instanceof Recorder.OnChannel(int channel, ChannelMethod.QueueDeclare declare)) {
            rewrite(declare.arguments());
        }
    }

    private static void rewrite(Map<String, Object> table) {
        ByteBuf out = Unpooled.buffer();
        FieldTable.write(out, table);
        byte[] bytes = ByteBufUtil.getBytes(out);
        check(FieldTable.decode(bytes, 0, bytes.length).equals(table), "a table changes when it is written");
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }

    // ---- making sessions ---------------------------------------------------------------------------------------

    private static byte[] session(SplittableRandom random) {
        List<byte[]> corpus = corpus();
        int frames = 1 + random.nextInt(12);
        byte[][] parts = new byte[frames][];
        for (int i = 0; i < frames; i++) {
            byte[] part = corpus.get(random.nextInt(corpus.size()));
            parts[i] = switch (random.nextInt(8)) {
                case 0, 1, 2 -> part;
                case 3 -> mutate(part, random);
                case 4 -> randomTable(random);
                default -> mutatePayload(part, random);
            };
        }
        byte[] stream = RawFrames.join(parts);
        return random.nextInt(20) == 0 ? mutate(stream, random) : stream;
    }

    /** Mutates payloads and gives each its right size again. */
    private static byte[] mutatePayload(byte[] frames, SplittableRandom random) {
        List<byte[]> result = new ArrayList<>();
        for (RawFrame frame : RawFrame.all(frames)) {
            int keep = frame.type() == 1 ? 4 : 0;
            byte[] arguments = Arrays.copyOfRange(
                    frame.payload(), Math.min(keep, frame.payload().length), frame.payload().length);
            byte[] head = Arrays.copyOf(frame.payload(), Math.min(keep, frame.payload().length));
            result.add(RawFrames.frame(frame.type(), frame.channel(), RawFrames.join(head, mutate(arguments, random))));
        }
        return RawFrames.join(result.toArray(byte[][]::new));
    }

    private static byte[] mutate(byte[] original, SplittableRandom random) {
        byte[] bytes = original.clone();
        int mutations = 1 + random.nextInt(3);
        for (int i = 0; i < mutations && bytes.length > 0; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(6)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = (byte) INTERESTING[random.nextInt(INTERESTING.length)];
                case 2 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 3 -> bytes[at] += (byte) (random.nextBoolean() ? 1 : -1);
                case 4 -> bytes = Arrays.copyOf(bytes, at);
                default -> {
                    int length = random.nextInt(bytes.length - at + 1);
                    byte[] repeated = Arrays.copyOfRange(bytes, at, at + length);
                    bytes = RawFrames.join(Arrays.copyOf(bytes, at + length), repeated,
                            Arrays.copyOfRange(bytes, at + length, bytes.length));
                }
            }
        }
        return bytes;
    }

    /** A header frame with a table that is random but for its shape. */
    private static byte[] randomTable(SplittableRandom random) {
        RawArguments table = new RawArguments();
        fields(table, random, 0);
        return RawFrames.header(1, 5, new RawArguments().shortInt(0x2000).longString(table.toBytes()).toBytes());
    }

    private static void fields(RawArguments out, SplittableRandom random, int depth) {
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            out.shortString("k" + random.nextInt(3));
            value(out, random, depth);
        }
    }

    private static void value(RawArguments out, SplittableRandom random, int depth) {
        char type = "tbBsuIilLfdDTSxAFV?".charAt(random.nextInt(19));
        byte[] bytes = new byte[switch (type) {
            case 't', 'b', 'B' -> 1;
            case 's', 'u' -> 2;
            case 'I', 'i', 'f' -> 4;
            case 'D' -> 5;
            case 'l', 'L', 'd', 'T' -> 8;
            default -> random.nextInt(6);
        }];
        new Random(random.nextLong()).nextBytes(bytes);
        out.octet(type);
        RawArguments nested = new RawArguments();
        switch (type) {
            case 'V' -> { /* no value */ }
            case 'S', 'x' -> out.longString(bytes);
            case 'A', 'F' -> {
                if (depth < 70 && type == 'F') {
                    fields(nested, random, depth + 1);
                } else if (depth < 70) {
                    value(nested, random, depth + 1);
                }
                out.longString(nested.toBytes());
            }
            default -> out.bytes(bytes);
        }
    }

    /** Valid frames of every kind, one or a message each. */
    static List<byte[]> corpus() {
        byte[] text = "text".getBytes(StandardCharsets.UTF_8);
        byte[] headers = new RawArguments().shortInt(0xFFFC)
                .shortString("text/plain").shortString("utf-8")
                .table(t -> t.field("CC", 'A', a -> a.table(e -> e.octet('S').longString("x"))).field("n", 1)
                        .field("deep", 'F', f -> f.table(e -> e.field("a", true).field("v", 'V', v -> {}))))
                .octet(2).octet(9).shortString("corr").shortString("reply").shortString("60000").shortString("id")
                .longLong(1).shortString("type").shortString("user").shortString("app").shortString("cluster")
                .toBytes();
        return List.of(
                RawFrames.startOk(t -> t.field("product", "x")
                        .field("capabilities", 'F', f -> f.table(c -> c.field("basic.nack", true))),
                        "PLAIN", text, "en_US"),
                RawFrames.secureOk(text), RawFrames.tuneOk(2047, 131_072, 60), RawFrames.connectionOpen("/"),
                RawFrames.connectionClose(200, "bye"), RawFrames.connectionCloseOk(),
                RawFrames.updateSecret(text, "why"),
                RawFrames.channelOpen(1), RawFrames.channelFlow(1, true), RawFrames.channelFlowOk(1, false),
                RawFrames.channelClose(1, 200, "bye"), RawFrames.channelCloseOk(1), RawFrames.accessRequest(1, "/data"),
                RawFrames.exchangeDeclare(1, "ex", "topic", t -> t.field("alternate-exchange", "ae"), false, true),
                RawFrames.exchangeDelete(1, "ex", true, false), RawFrames.exchangeBound(1, "ex", "key", "q"),
                RawFrames.exchangeBind(1, "d", "s", "k", false, t -> t.field("a", 1)),
                RawFrames.exchangeUnbind(1, "d", "s", "k", true, t -> {}),
                RawFrames.queueDeclare(1, "q", t -> t.field("x-max-length", 5).field("x-overflow", "drop-head"), false),
                RawFrames.queueBind(1, "q", "ex", "k", false, t -> t.field("x-match", "all")),
                RawFrames.queuePurge(1, "q", true), RawFrames.queueDelete(1, "q", true, true, false),
                RawFrames.queueUnbind(1, "q", "ex", "k", t -> {}),
                RawFrames.qos(1, 0, 100, false), RawFrames.consume(1, "q", "tag", t -> t.field("x-priority", 5), false),
                RawFrames.cancel(1, "tag", false), RawFrames.cancelOk(1, "tag"), RawFrames.get(1, "q", true),
                RawFrames.publish(1, "ex", "key", true, false), RawFrames.ack(1, 1, true),
                RawFrames.nack(1, 1, true, false), RawFrames.reject(1, 1, true),
                RawFrames.recoverAsync(1, true), RawFrames.recover(1, true), RawFrames.confirmSelect(1, false),
                RawFrames.txSelect(1), RawFrames.txCommit(1), RawFrames.txRollback(1),
                RawFrames.header(1, 10, headers), RawFrames.header(1, 0, RawFrames.persistent()),
                RawFrames.body(1, new byte[100]), RawFrames.body(1, new byte[0]), RawFrames.heartbeat(),
                RawFrames.message(1, "", "q", new byte[500], 200));
    }
}
