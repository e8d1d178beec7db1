package io.sluicemq.protocol.amqp091;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The publishing side of a channel: puts method, header and body frames together to a message, hands it to the broker,
 * returns what cannot be routed, and confirms. Owned by the connection's loop.
 *
 * <p>A body's memory grows with the bytes that have arrived, never by the size that was announced; a large one's
 * begins to grow when the broker has reserved all of it.
 */
@LoopOwned
final class Publishing {

    private enum Expecting {
        METHOD,
        HEADER,
        BODY
    }

    /** The largest body that gets its memory before it has arrived, in bytes: no more than a frame holds anyway. */
    private static final int AT_ONCE = 128 * 1024;

    /** A larger body's memory is asked for before it arrives, in bytes. */
    private static final int LARGE = 1 << 20;

    /** A large body is given all its memory, to spare copies, when more than one part in so many has arrived. */
    private static final int MEANT = 4;

    /** How long a large body may take to arrive, beside the time for its length. */
    private static final long LEAST_TIME_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int SLOWEST_BYTES_A_SECOND = 256 * 1024;

    private static final byte[] NO_BYTES = {};

    private final Channel channel;
    private final ConnectionSession connection;
    private Expecting expecting = Expecting.METHOD;
    private ShortString exchange;
    private ShortString routingKey;
    private boolean mandatory;
    private PublishFacts facts;
    private byte[] body = NO_BYTES;
    private int bodyLength;
    private int arrived;
    private final ChannelProducer producer;
    private final PublishTargets targets = new PublishTargets();
    private boolean awaitsMemory;
    private Client.Reservation reservation;
    private Loop.Timer lateTimer;
    private Confirms confirms;
    private Runnable flushConfirms;

    Publishing(Channel channel, ConnectionSession connection) {
        this.channel = channel;
        this.connection = connection;
        this.producer = new ChannelProducer(channel, connection);
    }

    /** The channel as the broker sees it. */
    Producer producer() {
        return producer;
    }

    /** Where it has published to of late, for operators. */
    List<ClientDetails.Target> targets() {
        return targets.list(producer.description());
    }

    /** Whether publishes are confirmed. */
    boolean confirms() {
        return confirms != null;
    }

    /** Whether no content is in progress, so that a method may come; if not, the connection is closed. */
    boolean betweenMessages() {
        switch (expecting) {
            case METHOD -> {
                return true;
            }
            case HEADER -> unexpected("expected content header for class 60, got non content header frame instead");
            case BODY -> unexpected("expected content body, got non content body frame instead");
        }
        return false;
    }

    // ---- frames

    void method(ShortString toExchange, ShortString key, boolean isMandatory, boolean immediate) {
        if (immediate) {
            channel.failConnection(ReplyCode.NOT_IMPLEMENTED, MethodId.BASIC_PUBLISH, "immediate=true");
            return;
        }
        exchange = toExchange;
        routingKey = key;
        mandatory = isMandatory;
        expecting = Expecting.HEADER;
    }

    void header(long bodySize, BasicProperties properties) {
        if (expecting != Expecting.HEADER) {
            unexpected(
                    expecting == Expecting.BODY
                            ? "expected content body, got non content body frame instead"
                            : "expected method frame, got non method frame instead");
            return;
        }
        long most = connection.options().maxMessageBytes();
        if (bodySize > most) {
            tooLarge(bodySize, most);
            return;
        }
        long mostOfClient = connection.client().maxMessageBytes();
        if (bodySize > mostOfClient) {
            connection.client().tooLarge();
            tooLarge(bodySize, mostOfClient);
            return;
        }
        facts = connection.publishFacts(properties);
        bodyLength = (int) bodySize;
        arrived = 0;
        if (bodyLength == 0) {
            body = NO_BYTES;
            complete();
            return;
        }
        expecting = Expecting.BODY;
        if (bodyLength > LARGE) {
            channel.await();
            awaitsMemory = true;
            reservation = connection.client().reserve(bodyLength, this::memoryGranted);
        } else if (bodyLength <= AT_ONCE && connection.reservePartial(bodyLength)) {
            body = new byte[bodyLength];
        }
    }

    private void tooLarge(long bodySize, long most) {
        fail(
                ReplyCode.PRECONDITION_FAILED,
                "message size " + bodySize + " is larger than configured max size " + most);
    }

    private void memoryGranted() {
        awaitsMemory = false;
        lateTimer = connection.loop().schedule(timeFor(bodyLength), this::arrivesTooSlowly);
        channel.answered();
    }

    private static long timeFor(int bytes) {
        return LEAST_TIME_NANOS + TimeUnit.SECONDS.toNanos(bytes / SLOWEST_BYTES_A_SECOND);
    }

    /** Others wait for the memory that this message was given. */
    private void arrivesTooSlowly() {
        if (connection.readingPaused()) {
            lateTimer = connection.loop().schedule(LEAST_TIME_NANOS, this::arrivesTooSlowly);
            return;
        }
        channel.failConnection(
                ReplyCode.RESOURCE_ERROR,
                MethodId.BASIC_PUBLISH,
                "only " + arrived + " of the " + bodyLength + " bytes of a message have come in time");
    }

    private void endReservation() {
        if (reservation != null) {
            reservation.release();
            reservation = null;
        }
        if (lateTimer != null) {
            lateTimer.cancel();
            lateTimer = null;
        }
    }

    void body(ByteBuf in, int index, int length) {
        if (makeRoom(length)) {
            in.getBytes(index, body, arrived, length);
            arrived(length);
        }
    }

    void body(byte[] bytes) {
        if (makeRoom(bytes.length)) {
            System.arraycopy(bytes, 0, body, arrived, bytes.length);
            arrived(bytes.length);
        }
    }

    private boolean makeRoom(int length) {
        if (expecting != Expecting.BODY) {
            unexpected(
                    expecting == Expecting.HEADER
                            ? "expected content header for class 60, got non content header frame instead"
                            : "expected method frame, got non method frame instead");
            return false;
        }
        if (length > bodyLength - arrived) {
            unexpected("a content body of more than the " + bodyLength + " bytes that were announced");
            return false;
        }
        int needed = arrived + length;
        if (needed > body.length) {
            int larger = (int) Math.min(bodyLength, Math.max(needed, Math.max(AT_ONCE, body.length * 2L)));
            if (reservation != null && needed > bodyLength / MEANT) {
                larger = bodyLength;
            }
            if (reservation == null && !connection.reservePartial(larger - body.length)) {
                return false;
            }
            body = Arrays.copyOf(body, larger);
        }
        return true;
    }

    private void arrived(int length) {
        arrived += length;
        if (arrived == bodyLength) {
            if (reservation == null) {
                connection.freePartial(body.length);
            }
            complete();
            endReservation();
        }
    }

    private void unexpected(String what) {
        channel.failConnection(ReplyCode.UNEXPECTED_FRAME, MethodId.BASIC_PUBLISH, what);
    }

    private void fail(ReplyCode code, String text) {
        channel.fail(code, MethodId.BASIC_PUBLISH, text);
    }

    // ---- messages

    private void complete() {
        byte[] complete = body;
        body = NO_BYTES;
        expecting = Expecting.METHOD;
        if (facts.refusal() != null) {
            fail(ReplyCode.PRECONDITION_FAILED, facts.refusal());
            return;
        }
        byte[] header = facts.header();
        if (facts.wantsReplies()) {
            String replyTo = channel.replyAddress();
            if (replyTo == null) {
                fail(ReplyCode.PRECONDITION_FAILED, "fast reply consumer does not exist");
                return;
            }
            header = facts.headerWithReplyTo(replyTo);
        }
        BasicProperties properties = facts.properties();
        Message message = new Message(
                Amqp091Format.INSTANCE,
                exchange.value(),
                routingKey.value(),
                facts.extraKeys(),
                header,
                complete,
                properties.persistent(),
                properties.priority(),
                facts.ttlMillis(connection),
                connection.client());
        if (!facts.hiddenKeys().isEmpty()) {
            message.hiddenKeys(facts.hiddenKeys());
        }
        targets.count(message.exchange(), message.routingKey());
        publish(message);
    }

    private void publish(Message message) {
        if (mandatory && channel.transaction() == null && isReply(message)) {
            // Whether the one who asked is still there is known where he is.
            connection.client().findReplyAddress(
                    message.routingKey(), channel.<Boolean>request(MethodId.BASIC_PUBLISH, open -> {
                        if (open) {
                            send(message);
                        } else {
                            confirmAtOnce();
                            writeReturn(message);
                        }
                    }));
            return;
        }
        send(message);
    }

    private static boolean isReply(Message message) {
        return message.exchange().isEmpty() && message.routingKey().startsWith(Client.ReplyAddress.PREFIX);
    }

    /** Answers a publish in confirm mode that reaches no queue. */
    private void confirmAtOnce() {
        if (confirms != null) {
            new PublishCompletion(this, confirms.publish()).handedOut();
        }
    }

    private void send(Message message) {
        ChannelTransaction transaction = channel.transaction();
        int queues;
        if (transaction != null) {
            queues = transaction.publish(message);
        } else if (confirms != null) {
            PublishCompletion completion = new PublishCompletion(this, confirms.publish());
            queues = connection.client().publish(message, completion, producer);
            completion.handedOut();
        } else {
            queues = connection.client().publish(message, null, producer);
        }
        connection.published();
        if (queues > 0) {
            return;
        }
        switch (queues) {
            case Client.NO_EXCHANGE -> channel.fail(BrokerFaults.of(
                    new BrokerError.NotFound(Kind.EXCHANGE, message.exchange(), connection.virtualHost()),
                    MethodId.BASIC_PUBLISH));
            case Client.INTERNAL_EXCHANGE -> fail(
                    ReplyCode.ACCESS_REFUSED,
                    "cannot publish to internal "
                            + BrokerFaults.named(Kind.EXCHANGE, message.exchange(), connection.virtualHost()));
            case Client.NO_ACCESS -> channel.fail(BrokerFaults.of(refusal(message), MethodId.BASIC_PUBLISH));
            default -> unroutable(message, transaction);
        }
    }

    /** Why a message may not be published: for the first of its keys that is not allowed. */
    private BrokerError refusal(Message message) {
        Client client = connection.client();
        BrokerError refusal = client.publishRefusal(message.exchange(), message.routingKey());
        List<String> others = new ArrayList<>(message.extraKeys());
        others.addAll(message.hiddenKeys());
        for (int i = 0; refusal == null && i < others.size(); i++) {
            refusal = client.publishRefusal(message.exchange(), others.get(i));
        }
        return refusal == null // it was allowed at this very moment
                ? new BrokerError.Unavailable("permissions have changed while a message was published")
                : refusal;
    }

    private void unroutable(Message message, ChannelTransaction transaction) {
        if (!mandatory) {
            return;
        }
        if (transaction != null) {
            transaction.returnAtCommit(message);
        } else {
            writeReturn(message);
        }
    }

    /** Gives a mandatory message back to the client (spec, basic.return). */
    void writeReturn(Message message) {
        FrameEncoder.basicReturn(
                connection.out(),
                channel.number(),
                ReplyCode.NO_ROUTE.code(),
                ReplyCode.NO_ROUTE.name(),
                connection.strings().of(message.exchange()),
                connection.strings().of(message.routingKey()));
        ContentWriter.write(connection, channel.number(), message.header(), message.body());
    }

    // ---- confirms

    boolean confirming() {
        return confirms != null;
    }

    /** From the next publish on, each gets a number and an answer. */
    void startConfirms() {
        if (confirms == null) {
            confirms = new Confirms(this::writeConfirm);
            flushConfirms = this::flushConfirms;
        }
    }

    private void resolved(long sequence, boolean accepted) {
        if (channel.confirms() && confirms.resolve(sequence, accepted)) {
            connection.loop().atTurnEnd(flushConfirms);
            // Asked for now, the buffer is flushed after that and in the same turn.
            connection.out();
        }
    }

    private void flushConfirms() {
        if (channel.confirms()) {
            confirms.flush();
            channel.confirmed();
        }
    }

    private void writeConfirm(long sequence, boolean multiple, boolean accepted) {
        if (accepted) {
            FrameEncoder.basicAck(connection.out(), channel.number(), sequence, multiple);
        } else {
            FrameEncoder.basicNack(connection.out(), channel.number(), sequence, multiple);
        }
    }

    /** Whether publishes wait for room in their addresses. */
    boolean hasParked() {
        return producer.parkedMessages() > 0;
    }

    /** Whether publishes are not confirmed yet. */
    boolean owesConfirms() {
        return confirms != null && confirms.open() > 0;
    }

    /** The channel closes: content in progress is dropped. */
    void release() {
        producer.channelCloses();
        if (awaitsMemory) {
            awaitsMemory = false;
            channel.awaitNoMore();
        } else if (expecting == Expecting.BODY && reservation == null) {
            connection.freePartial(body.length);
        }
        endReservation();
        body = NO_BYTES;
        facts = null;
        expecting = Expecting.METHOD;
    }

    /** What is owed for one publish in confirm mode. */
    private static final class PublishCompletion extends Completion {

        private final Publishing publishing;
        private final long sequence;

        PublishCompletion(Publishing publishing, long sequence) {
            super(publishing.connection.loop());
            this.publishing = publishing;
            this.sequence = sequence;
        }

        @Override
        protected void complete(BrokerError refusal) {
            publishing.resolved(sequence, refusal == null);
        }
    }
}
