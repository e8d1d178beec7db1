package io.sluicemq.protocol.amqp10;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import io.sluicemq.testkit.FakeWire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Received;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.slf4j.LoggerFactory;

/**
 * A seeded fuzz of all that reads a client's bytes, up to the broker: peers send frames that are right, senseless or broken, in
 * random order, read or don't, and leave. Whatever they do, nothing throws, what they are sent is well formed and fits into their
 * frames, and nothing is left when they have gone.
 *
 * <p>As a program it runs for as long as it is told: {@code SessionFuzz [seconds [first seed]]}. It prints the seed of a failure;
 * {@code SessionFuzz 0 SEED} repeats exactly that one.
 */
public final class SessionFuzz {

    private static final int STEPS = 150;
    private static final String[] QUEUES = {"q", "r", "/queues/s"};
    private static final String[] ADDRESSES =
            {"q", "r", "/queues/s", "/queues/none", "/exchanges/amq.topic/k", "amq.fanout", "topic://t", "", "/x/%zz",
                "ü"};
    private static final String[] NAMES = {"a", "b", "c", "n".repeat(200)};

    private final Random random;
    private final Lab lab = new Lab();
    private final List<Stranger> strangers = new ArrayList<>();
    private static long attaches;
    private static long transfers;
    private static long outcomes;

    private SessionFuzz(long seed) {
        random = new Random(seed);
    }

    /** Runs for {@code args[0]} seconds (default 60) from seed {@code args[1]} (default: of the time) on. */
    public static void main(String[] args) {
        ((Logger) LoggerFactory.getLogger("io.sluicemq")).setLevel(Level.OFF);
        ((Logger) LoggerFactory.getLogger("io.netty")).setLevel(Level.OFF);
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 60;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
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
        System.out.println(
                runs + " brokers with hostile peers, no failure: they were told " + attaches + " attaches, " + transfers
                        + " transfers and " + outcomes + " outcomes");
    }

    /** What some peers do to one broker. */
    static void run(long seed) {
        try {
            new SessionFuzz(seed).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e, e);
        }
    }

    private void run() {
        for (int i = 0; i < 3; i++) {
            strangers.add(new Stranger(i % 2));
        }
        for (int step = 0; step < STEPS; step++) {
            Stranger stranger = strangers.get(random.nextInt(strangers.size()));
            stranger.act();
            if (random.nextInt(3) > 0) {
                lab.loops.runAll(random);
            }
            if (stranger.wire.ended()) {
                stranger.leave();
                strangers.remove(stranger);
                strangers.add(new Stranger(random.nextInt(2)));
            }
        }
        for (Stranger stranger : strangers) {
            stranger.leave();
        }
        lab.loops.runAll(random);
        nothingIsLeft();
    }

    private void nothingIsLeft() {
        BrokerCounters now = lab.counters();
        // What links of subscriptions that never end have left is kept for those that come back.
        long unsettled = Math.max(0, now.unsettledMessages() - now.keptDeliveries());
        long left = now.connections() + now.channels() + now.consumers() + unsettled + now.parkedMessages();
        if (left > 0 || now.readyMessages() == 0 && now.messageBytes() > 0) {
            throw new AssertionError("something is left: " + now);
        }
    }

    /** A peer that does as it likes. */
    private final class Stranger {

        private final FakeWire wire;
        private final ConnectionSession session;
        private final int frameMax = random.nextBoolean() ? 512 : 64 * 1024;
        private long nextDelivery;
        /** What it has attached on channel 0, as far as it knows: attaches by handle, and by the broker's handle. */
        private final Map<Integer, Attach> attached = new HashMap<>();
        private final Map<Long, Integer> brokersHandles = new HashMap<>();
        private boolean ended;

        Stranger(int loop) {
            wire = new FakeWire(lab.loops.get(loop));
            session = lab.loops.get(loop).call(() -> (ConnectionSession) new Amqp10Protocol(
                    lab.broker, new Login("PLAIN", "ANONYMOUS"), Lab.OPTIONS, lab.links).open(wire));
            wire.session(session);
            List<byte[]> greeting = new ArrayList<>(List.of(
                    Frames.SASL,
                    Frames.plain("guest", random.nextInt(20) == 0 ? "wrong" : "guest"),
                    Frames.AMQP,
                    Frames.frame(0, open()),
                    Frames.frame(0, begin())));
            if (random.nextInt(20) == 0) {
                greeting.remove(random.nextInt(greeting.size()));
            }
            send(Frames.join(greeting.toArray(byte[][]::new)));
            lab.loops.runAll(random);
        }

        private Open open() {
            Open open = new Open().setContainerId("c" + random.nextInt(3)).setMaxFrameSize(frameMax);
            if (random.nextInt(4) == 0) {
                open.setIdleTimeout(random.nextInt(5_000));
            }
            if (random.nextInt(20) == 0) {
                open.setDesiredCapabilities(Symbol.valueOf("sole-connection-for-container"));
            }
            return open;
        }

        private Begin begin() {
            return new Begin()
                    .setNextOutgoingId(0xFFFF_FFFFL - random.nextInt(20))
                    .setIncomingWindow(random.nextInt(3) == 0 ? random.nextInt(5) : 0xFFFF_FFFFL)
                    .setOutgoingWindow(0x7FFF_FFFFL);
        }

        void act() {
            if (random.nextInt(3) > 0) {
                read();
            }
            if (ended && random.nextInt(4) > 0) {
                ended = false;
                attached.clear();
                brokersHandles.clear();
                send(Frames.join(Frames.frame(0, new End()), Frames.frame(0, begin())));
            }
            switch (random.nextInt(14)) {
                case 0 -> read();
                case 1 -> {
                    wire.writable = !wire.writable;
                    wire.loop().run(session::writabilityChanged);
                }
                case 2 -> lab.loops.advance(TimeUnit.SECONDS.toNanos(random.nextInt(12)));
                default -> {
                    int frames = 1 + random.nextInt(5);
                    byte[][] all = new byte[frames][];
                    for (int i = 0; i < frames; i++) {
                        all[i] = broken(frame());
                    }
                    send(Frames.join(all));
                }
            }
        }

        private void send(byte[] bytes) {
            int at = 0;
            while (at < bytes.length) {
                int piece =
                        random.nextInt(4) > 0 ? bytes.length - at : Math.min(bytes.length - at, 1 + random.nextInt(99));
                if (wire.ended()) {
                    return;
                }
                wire.arrive(Arrays.copyOfRange(bytes, at, at + piece));
                at += piece;
            }
        }

        private byte[] broken(byte[] frame) {
            switch (random.nextInt(200)) {
                case 0 -> {
                    byte[] noise = new byte[random.nextInt(100)];
                    random.nextBytes(noise);
                    return noise;
                }
                case 1 -> {
                    return Arrays.copyOf(frame, random.nextInt(frame.length));
                }
                case 2, 3, 4, 5 -> {
                    for (int i = random.nextInt(3); i >= 0 && frame.length > 8; i--) {
                        frame[8 + random.nextInt(frame.length - 8)] = (byte) (random.nextBoolean()
                                ? random.nextInt(256)
                                : new int[] {0, 0x40, 0x41, 0x43, 0x45, 0x53, 0xFF, 0xC0}[random.nextInt(8)]);
                    }
                    return frame;
                }
                default -> {
                    return frame;
                }
            }
        }

        private int handle() {
            return random.nextInt(6);
        }

        /** A frame that makes sense, mostly. */
        private byte[] frame() {
            if (random.nextInt(40) == 0) {
                return frame(random.nextInt(3));
            }
            for (int attempt = 0; attempt < 20; attempt++) {
                byte[] frame = frame(0);
                Object performative = Frames.next(java.nio.ByteBuffer.wrap(frame)).performative();
                boolean fits = switch (performative) {
                    case Begin begin -> false;
                    case Attach attach -> attached.putIfAbsent((int) attach.getHandle(), attach) == null;
                    case Detach detach -> attached.remove((int) detach.getHandle()) != null;
                    case Transfer transfer -> attached.containsKey((int) transfer.getHandle())
                            && attached.get((int) transfer.getHandle()).getRole() == Role.SENDER;
                    case Flow flow -> !flow.hasHandle() || attached.containsKey((int) flow.getHandle());
                    case null, default -> true;
                };
                if (fits) {
                    return frame;
                }
            }
            return Frames.empty();
        }

        private byte[] frame(int channel) {
            return switch (random.nextInt(40)) {
                case 0 -> Frames.frame(channel, begin());
                case 1 -> random.nextInt(6) == 0 ? Frames.frame(channel, new End()) : Frames.empty();
                case 2 -> random.nextInt(8) == 0 ? Frames.frame(0, new Close()) : Frames.empty();
                case 3, 4, 5, 6, 7 -> Frames.frame(channel, receiver());
                case 8, 9, 10, 11 -> Frames.frame(channel, sender());
                case 12 -> Frames.frame(channel, coordinator());
                case 13 -> Frames.frame(
                        channel, new Detach().setHandle(handle()).setClosed(random.nextBoolean()));
                case 14, 15, 16, 17, 18, 19, 20, 21 -> Frames.frame(channel, flow());
                case 22, 23, 24, 25 -> Frames.frame(channel, disposition());
                case 26, 27 -> Frames.frame(channel, transfer(), transaction());
                default -> Frames.frame(channel, transfer(), message());
            };
        }

        private Attach attach() {
            int handle = handle();
            Attach attach = new Attach()
                    .setName(random.nextInt(10) == 0 ? NAMES[random.nextInt(NAMES.length)] : "link " + handle)
                    .setHandle(handle);
            if (random.nextBoolean()) {
                attach.setReceiverSettleMode(ReceiverSettleMode.values()[random.nextInt(2)]);
                attach.setSenderSettleMode(SenderSettleMode.values()[random.nextInt(3)]);
            }
            if (random.nextInt(8) == 0) {
                attach.setUnsettled(Map.of(new Binary(new byte[] {1}), state()));
            }
            return attach;
        }

        private String address() {
            return random.nextInt(8) > 0
                    ? QUEUES[random.nextInt(QUEUES.length)]
                    : ADDRESSES[random.nextInt(ADDRESSES.length)];
        }

        private Symbol capability() {
            return Symbol
                    .valueOf(new String[] {"queue", "topic", "shared", "global", "temporary-queue"}[random.nextInt(5)]);
        }

        private Attach receiver() {
            Attach attach = attach().setRole(Role.RECEIVER).setTarget(new Target());
            if (random.nextInt(10) == 0) {
                return attach;
            }
            Source source = new Source().setAddress(address());
            switch (random.nextInt(8)) {
                case 0 -> source.setAddress(null).setDynamic(true);
                case 1 -> source.setCapabilities(capability());
                case 2 -> source
                        .setDurable(TerminusDurability.UNSETTLED_STATE)
                        .setExpiryPolicy(TerminusExpiryPolicy.NEVER)
                        .setCapabilities(Symbol.valueOf("topic"));
                case 3 -> source.setDistributionMode(Symbol.valueOf("copy"));
                case 4 -> source.setFilter(Map.of(
                        Symbol.valueOf("jms-selector"),
                        new UnknownDescribedType(Symbol.valueOf("apache.org:selector-filter:string"), "a = 1")));
                case 5 -> source.setDefaultOutcome(new Modified().setDeliveryFailed(true));
                default -> { /* a queue */ }
            }
            return attach.setSource(source);
        }

        private Attach sender() {
            Target target = new Target().setAddress(address());
            switch (random.nextInt(10)) {
                case 0 -> target.setAddress(null).setDynamic(true);
                case 1 -> target.setAddress(null);
                case 2 -> target.setCapabilities(capability());
                default -> { /* a queue */ }
            }
            return attach()
                    .setRole(Role.SENDER)
                    .setInitialDeliveryCount(0xFFFF_FFFFL - random.nextInt(5))
                    .setSource(new Source())
                    .setTarget(target);
        }

        private Attach coordinator() {
            return attach().setRole(Role.SENDER).setInitialDeliveryCount(0).setSource(new Source()).setCoordinator(
                    new Coordinator());
        }

        private long number() {
            return switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> 0xFFFF_FFFFL - random.nextInt(30);
                default -> random.nextInt(30);
            };
        }

        private Flow flow() {
            Flow flow = new Flow()
                    .setNextIncomingId(number())
                    .setIncomingWindow(random.nextInt(4) == 0 ? random.nextInt(4) : 100_000)
                    .setNextOutgoingId(number())
                    .setOutgoingWindow(1000);
            if (random.nextInt(6) > 0) {
                flow.setHandle(handle()).setDeliveryCount(random.nextInt(3) == 0 ? number() : 0)
                        .setLinkCredit(random.nextInt(300));
                flow.setDrain(random.nextInt(4) == 0);
            }
            return flow.setEcho(random.nextInt(5) == 0);
        }

        private DeliveryState state() {
            return switch (random.nextInt(8)) {
                case 0, 1, 2 -> Accepted.getInstance();
                case 3 -> Released.getInstance();
                case 4 -> new Rejected();
                case 5 ->
                    new Modified().setDeliveryFailed(random.nextBoolean()).setUndeliverableHere(random.nextBoolean());
                case 6 -> new Received().setSectionNumber(UnsignedInteger.ZERO).setSectionOffset(UnsignedLong.ZERO);
                default -> new TransactionalState().setTxnId(transactionId()).setOutcome(Accepted.getInstance());
            };
        }

        private Binary transactionId() {
            byte[] id = new byte[8];
            id[7] = (byte) (1 + random.nextInt(3));
            return new Binary(id);
        }

        private Disposition disposition() {
            Disposition disposition = new Disposition()
                    .setRole(random.nextInt(5) == 0 ? Role.SENDER : Role.RECEIVER)
                    .setFirst(random.nextInt(20))
                    .setSettled(random.nextInt(3) > 0);
            if (random.nextBoolean()) {
                disposition.setLast(number());
            }
            return random.nextInt(6) == 0 ? disposition : disposition.setState(state());
        }

        private Transfer transfer() {
            Transfer transfer = new Transfer().setHandle(handle());
            if (random.nextInt(12) > 0) {
                nextDelivery += random.nextInt(30) == 0 ? -1 : 1;
                transfer.setDeliveryId(nextDelivery & 0xFFFF_FFFFL);
                transfer.setDeliveryTag(new byte[] {(byte) random.nextInt(50)});
            }
            if (random.nextInt(5) == 0) {
                transfer.setMore(true);
            }
            if (random.nextInt(20) == 0) {
                transfer.setAborted(true);
            }
            if (random.nextInt(5) == 0) {
                transfer.setState(state());
            }
            return transfer.setSettled(random.nextInt(4) == 0).setResume(random.nextInt(20) == 0);
        }

        private byte[] message() {
            byte[] body = new byte[random.nextInt(8) == 0 ? random.nextInt(20_000) : random.nextInt(100)];
            random.nextBytes(body);
            byte[] data = random.nextInt(6) == 0
                    ? Frames.encode(new AmqpValue<>(Map.of("k", "v")))
                    : Frames.encode(new Data(body));
            return switch (random.nextInt(4)) {
                case 0 -> Frames.join(
                        Frames.encode(new Header().setDurable(random.nextBoolean()).setTimeToLive(random.nextInt(500))),
                        data);
                case 1 -> Frames.join(Frames.encode(new Properties().setTo(address()).setSubject("s")), data);
                default -> data;
            };
        }

        private byte[] transaction() {
            return Frames.encode(new AmqpValue<>(random.nextBoolean()
                    ? new Declare()
                    : new Discharge().setTxnId(transactionId()).setFail(random.nextBoolean())));
        }

        private void read() {
            for (Frame frame : Frames.read(wire.writtenBytes())) {
                if (frame.size() > Math.max(frameMax, 512) && frame.type() == 0) {
                    throw new AssertionError("a frame of " + frame.size() + " bytes: " + frame.performative());
                }
                if (frame.channel() == 0) {
                    told(frame.performative());
                }
            }
            if (!wire.ended()) {
                wire.loop().run(session::flushed);
            }
        }

        private void told(Object performative) {
            switch (performative) {
                case End end -> ended = true;
                case Attach answer -> {
                    attaches++;
                    for (Attach mine : attached.values()) {
                        if (mine.getName().equals(answer.getName()) && mine.getRole() != answer.getRole()) {
                            brokersHandles.put(answer.getHandle(), (int) mine.getHandle());
                        }
                    }
                }
                case Detach detach -> {
                    Integer mine = brokersHandles.remove(detach.getHandle());
                    if (mine != null && attached.remove(mine) != null && !wire.ended()) {
                        wire.arrive(Frames.frame(0, new Detach().setHandle(mine).setClosed(true)));
                    }
                }
                case Transfer transfer -> transfers++;
                case Disposition disposition -> outcomes++;
                case null, default -> { /* nothing to remember */ }
            }
        }

        void leave() {
            read();
            if (!wire.ended()) {
                wire.abort();
            }
            wire.loop().run(session::closed);
            lab.loops.runAll(random);
        }
    }
}
