package io.sluicemq.protocol.amqp091;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Hold;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.ChannelMethod;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.ProtocolFault;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One channel: takes its frames in their order, one request at a time, and hands them to the part that knows them.
 * Owned by the connection's loop.
 *
 * <p>While the broker has a request of this channel, and while publishers are held back, further frames are parked here
 * and processed afterwards, so a client that does not wait for answers sees the same as one that does. Settlements alone
 * may overtake publishes that are held back: a shortage must never stop consumers.
 *
 * <p>Invariant: nothing is parked unless something is awaited; after the end of {@link Phase#OPEN} the broker is asked
 * for nothing but to end what there is, and {@link ConnectionSession#channelReleased} is called once when that is done.
 */
@LoopOwned
final class Channel {

    private enum Phase {
        OPEN,
        /** We have closed it for an error and ignore everything but the client's close-ok. */
        FAILED,
        /** The client has closed it and gets the close-ok when all is released. */
        CLOSING,
        /** Gone with its connection, or closed on both sides. */
        GONE
    }

    private final ConnectionSession connection;
    private final int number;
    private final Publishing publishing;
    private final Consuming consuming;
    private final Topology topology;
    private final ArrayDeque<ParkedFrame> parked = new ArrayDeque<>(0);
    private Phase phase = Phase.OPEN;
    private ChannelTransaction transaction;
    private int awaited;
    private boolean draining;
    private boolean peerClosedToo;
    /** Whether the close-ok, and one of {@link #awaited}, is for when what waited for room is stored and confirmed. */
    private boolean closesWhenStored;

    Channel(ConnectionSession connection, int number) {
        this.connection = connection;
        this.number = number;
        this.publishing = new Publishing(this, connection);
        this.consuming = new Consuming(this, connection);
        this.topology = new Topology(this, connection);
    }

    int number() {
        return number;
    }

    boolean open() {
        return phase == Phase.OPEN;
    }

    /** What there is to know of it, for operators. */
    ClientDetails.Channel details() {
        Producer producer = publishing.producer();
        Hold hold = producer.latestHold();
        return new ClientDetails.Channel(
                number,
                consuming.consumers(),
                consuming.unsettled(),
                consuming.prefetch(),
                consuming.sharedPrefetch(),
                publishing.confirms(),
                transaction != null,
                producer.parkedMessages(),
                producer.parkedBytes(),
                hold == null ? "" : "room in '" + hold.address() + "' (" + hold.limit() + ")",
                List.of(),
                publishing.targets());
    }

    /** Whether the client is still interested in its confirms: not after an error of its channel. */
    boolean confirms() {
        return phase == Phase.OPEN || phase == Phase.CLOSING;
    }

    /** The transaction under way; null if the channel is not in transaction mode. */
    ChannelTransaction transaction() {
        return transaction;
    }

    /** Where direct replies to this channel go; null if nowhere. */
    String replyAddress() {
        return consuming.replyAddress();
    }

    /** Whether it has nothing left to do of what the client has sent. */
    boolean quiet() {
        return phase != Phase.OPEN || awaited == 0 && parked.isEmpty();
    }

    /**
     * Whether the client may open it again: we have closed it, and the client had closed it too; or the client has closed it,
     * and no longer waits for a close-ok that is withheld (RabbitMQ's Java client does for 10 s).
     */
    boolean mayBeReplaced() {
        return phase == Phase.FAILED && peerClosedToo || closesWhenStored;
    }

    /** Another channel takes its number: it gets no close-ok any more, whatever of it still waits. */
    void replaced() {
        if (closesWhenStored) {
            phase = Phase.GONE;
            stopWaitingForParked();
        }
    }

    /** Whether it has consumers, or something to settle. */
    boolean consumes() {
        return phase == Phase.OPEN && !consuming.idle();
    }

    /** Whether nothing of this channel but publishes would be delayed if nothing more were read. */
    boolean onlyPublishes() {
        return phase == Phase.OPEN && awaited == 0 && transaction == null && consuming.idle();
    }

    // ---- frames, as they arrive

    void onMethod(ChannelMethod method) {
        switch (phase) {
            case OPEN -> {
                if (mustWait()) {
                    park(new ParkedFrame.Method(method, connection.payloadBytes()));
                } else {
                    process(method);
                }
            }
            case FAILED -> ignoreButClose(method);
            case CLOSING, GONE -> {}
        }
    }

    private void ignoreButClose(ChannelMethod method) {
        if (method instanceof ChannelMethod.ChannelCloseOk) {
            gone();
        } else if (method instanceof ChannelMethod.ChannelClose) {
            // Both have closed it at once (spec, channel.close); some clients then answer ours, others do not.
            peerClosedToo = true;
            FrameEncoder.channelCloseOk(connection.out(), number);
        }
    }

    void onPublish(ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate) {
        if (phase != Phase.OPEN) {
            return;
        }
        if (mustWait() || connection.holdsPublisher()) {
            park(new ParkedFrame.Publish(exchange, routingKey, mandatory, immediate));
        } else {
            processPublish(exchange, routingKey, mandatory, immediate);
        }
    }

    void onHeader(long bodySize, BasicProperties properties) {
        if (phase != Phase.OPEN) {
            return;
        }
        if (mustWait()) {
            park(new ParkedFrame.Header(bodySize, properties));
        } else {
            publishing.header(bodySize, properties);
        }
    }

    void onBody(ByteBuf in, int index, int length) {
        if (phase != Phase.OPEN) {
            return;
        }
        if (mustWait()) {
            byte[] bytes = new byte[length];
            in.getBytes(index, bytes);
            park(new ParkedFrame.Body(bytes));
        } else {
            publishing.body(in, index, length);
        }
    }

    void onSettle(ParkedFrame.SettleKind kind, long deliveryTag, boolean multiple, boolean requeue) {
        if (phase != Phase.OPEN) {
            return;
        }
        boolean overtakes = awaited == 0 && transaction == null && connection.holdsPublisher();
        if (mustWait() && !overtakes) {
            park(new ParkedFrame.Settle(kind, deliveryTag, multiple, requeue));
        } else {
            processSettle(kind, deliveryTag, multiple, requeue);
        }
    }

    // ---- parking

    private boolean mustWait() {
        return awaited > 0 || !parked.isEmpty();
    }

    private void park(ParkedFrame frame) {
        parked.add(frame);
        connection.parked(frame.sizeBytes());
    }

    /** Processes what was parked, as far as it goes. */
    void drain() {
        if (draining) {
            return;
        }
        draining = true;
        while (phase == Phase.OPEN && awaited == 0 && !parked.isEmpty() && !connection.answersWait()) {
            if (parked.peek() instanceof ParkedFrame.Publish && connection.holdsPublisher()) {
                break;
            }
            ParkedFrame frame = parked.poll();
            connection.unparked(frame.sizeBytes());
            process(frame);
        }
        draining = false;
        connection.drained();
    }

    private void process(ParkedFrame frame) {
        switch (frame) {
            case ParkedFrame.Method f -> process(f.method());
            case ParkedFrame.Publish f ->
                processPublish(f.exchange(), f.routingKey(), f.mandatory(), f.immediate());
            case ParkedFrame.Header f -> publishing.header(f.bodySize(), f.properties());
            case ParkedFrame.Body f -> publishing.body(f.bytes());
            case ParkedFrame.Settle f ->
                processSettle(f.kind(), f.deliveryTag(), f.multiple(), f.requeue());
        }
    }

    // ---- processing

    private void processPublish(ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate) {
        if (publishing.betweenMessages()) {
            publishing.method(exchange, routingKey, mandatory, immediate);
        }
    }

    private void processSettle(ParkedFrame.SettleKind kind, long deliveryTag, boolean multiple, boolean requeue) {
        if (!publishing.betweenMessages()) {
            return;
        }
        switch (kind) {
            case ACK -> consuming.ack(deliveryTag, multiple);
            case NACK -> consuming.nack(deliveryTag, multiple, requeue);
            case REJECT -> consuming.reject(deliveryTag, requeue);
        }
    }

    private void process(ChannelMethod method) {
        if (!publishing.betweenMessages()) {
            return;
        }
        switch (method) {
            case ChannelMethod.ChannelOpen m ->
                failConnection(ReplyCode.CHANNEL_ERROR, m.id(), "second 'channel.open' seen");
            case ChannelMethod.ChannelFlow m -> consuming.flow(m.active());
            // The broker asks for no flow and cancels without waiting, so these answer nothing; they do no harm.
            case ChannelMethod.ChannelFlowOk m -> {}
            case ChannelMethod.BasicCancelOk m -> {}
            case ChannelMethod.ChannelClose m -> closedByPeer();
            case ChannelMethod.ChannelCloseOk m ->
                failConnection(ReplyCode.COMMAND_INVALID, m.id(), "a close-ok without a close");
            case ChannelMethod.AccessRequest m -> FrameEncoder.accessRequestOk(connection.out(), number, 1);
            case ChannelMethod.ExchangeDeclare m -> topology.declareExchange(m);
            case ChannelMethod.ExchangeDelete m -> topology.deleteExchange(m);
            case ChannelMethod.ExchangeBound m -> topology.bound(m);
            case ChannelMethod.ExchangeBind m -> topology.bindExchange(m);
            case ChannelMethod.ExchangeUnbind m -> topology.unbindExchange(m);
            case ChannelMethod.QueueDeclare m -> topology.declareQueue(m);
            case ChannelMethod.QueueBind m -> topology.bindQueue(m);
            case ChannelMethod.QueuePurge m -> topology.purgeQueue(m);
            case ChannelMethod.QueueDelete m -> topology.deleteQueue(m);
            case ChannelMethod.QueueUnbind m -> topology.unbindQueue(m);
            case ChannelMethod.BasicQos m -> consuming.qos(m);
            case ChannelMethod.BasicConsume m -> {
                String queue = topology.queueNamed(m.queue(), m.id());
                if (queue != null) {
                    consuming.consume(m, queue);
                }
            }
            case ChannelMethod.BasicCancel m -> consuming.cancel(m);
            case ChannelMethod.BasicGet m -> {
                String queue = topology.queueNamed(m.queue(), m.id());
                if (queue != null) {
                    consuming.get(m, queue);
                }
            }
            case ChannelMethod.BasicRecoverAsync m -> consuming.recover(m.id(), m.requeue());
            case ChannelMethod.BasicRecover m -> consuming.recover(m.id(), m.requeue());
            case ChannelMethod.ConfirmSelect m -> selectConfirms(m);
            case ChannelMethod.TxSelect m -> selectTransactions(m);
            case ChannelMethod.TxCommit m -> commit(m);
            case ChannelMethod.TxRollback m -> rollback(m);
        }
    }

    private void selectConfirms(ChannelMethod.ConfirmSelect method) {
        if (transaction != null) {
            fail(ReplyCode.PRECONDITION_FAILED, method.id(), "cannot switch from tx to confirm mode");
            return;
        }
        publishing.startConfirms();
        if (!method.noWait()) {
            FrameEncoder.confirmSelectOk(connection.out(), number);
        }
    }

    private void selectTransactions(ChannelMethod.TxSelect method) {
        if (publishing.confirming()) {
            fail(ReplyCode.PRECONDITION_FAILED, method.id(), "cannot switch from confirm to tx mode");
            return;
        }
        if (transaction == null) {
            transaction = new ChannelTransaction(connection.client());
        }
        FrameEncoder.txSelectOk(connection.out(), number);
    }

    private void commit(ChannelMethod.TxCommit method) {
        if (transactional(method.id())) {
            transaction.commit(this.<Void>request(method.id(), done -> {
                transaction.takeUnroutable().forEach(publishing::writeReturn);
                FrameEncoder.txCommitOk(connection.out(), number);
                consuming.committed(transaction);
            })
                    .orRefused(error -> {
                        transaction.settlementsRefused();
                        return false;
                    })
                    .orRefusedLate(() -> {
                        transaction.settlementsRefused();
                        consuming.requeueAll(transaction);
                    }));
        }
    }

    private void rollback(ChannelMethod.TxRollback method) {
        if (transactional(method.id())) {
            consuming.rolledBack(transaction);
            FrameEncoder.txRollbackOk(connection.out(), number);
        }
    }

    private boolean transactional(int method) {
        if (transaction == null) {
            fail(ReplyCode.PRECONDITION_FAILED, method, "channel is not transactional");
        }
        return transaction != null;
    }

    // ---- requests to the broker

    /** A request to the broker on behalf of {@code method}; {@code done} gets its result if the channel is still open. */
    <T> Request<T> request(int method, Consumer<T> done) {
        return new Request<>(this, method, done);
    }

    /** The answer to a request: until it comes, the channel's next frames are parked. */
    static final class Request<T> implements Reply<T> {

        private final Channel channel;
        private final int method;
        private final Consumer<T> done;
        private Consumer<T> late = result -> {};
        private Predicate<BrokerError> refused = error -> false;
        private Runnable refusedLate = () -> {};

        private Request(Channel channel, int method, Consumer<T> done) {
            this.channel = channel;
            this.method = method;
            this.done = done;
            channel.awaited++;
        }

        /** What to do with a result that comes when the channel is no longer open. */
        Request<T> orLate(Consumer<T> action) {
            late = action;
            return this;
        }

        /** What to do about a refusal; returns whether that was all, else the channel is closed. */
        Request<T> orRefused(Predicate<BrokerError> action) {
            refused = action;
            return this;
        }

        /** What to do about a refusal that comes when the channel is no longer open. */
        Request<T> orRefusedLate(Runnable action) {
            refusedLate = action;
            return this;
        }

        @Override
        public void done(T result) {
            (channel.open() ? done : late).accept(result);
            channel.answered();
        }

        @Override
        public void failed(BrokerError error) {
            if (!channel.open()) {
                refusedLate.run();
            } else if (!refused.test(error)) {
                channel.refused(error, method);
            }
            channel.answered();
        }
    }

    /** Something of the broker's is awaited before the next frame. */
    void await() {
        awaited++;
    }

    /** What was awaited will not come: the channel is being released. */
    void awaitNoMore() {
        awaited--;
    }

    /** What was awaited is here. */
    void answered() {
        awaited--;
        if (phase == Phase.OPEN) {
            drain();
        } else {
            releasedIfDone();
        }
    }

    // ---- ends

    /** Closes the channel for an error of the client's (spec, channel.close). */
    void fail(ReplyCode code, int method, String text) {
        fail(ProtocolFault.at(method, code, text));
    }

    void fail(ProtocolFault fault) {
        if (phase != Phase.OPEN) {
            return;
        }
        phase = Phase.FAILED;
        connection.logChannelFault(this, fault);
        FrameEncoder.channelClose(
                connection.out(),
                number,
                fault.code().code(),
                BrokerFaults.replyText(fault),
                fault.classId() << 16 | fault.methodId());
        release();
    }

    /**
     * Closes the channel since a consumer of it is too slow. Clients compare the text, so it stands there as it is; no method of theirs
     * has caused it.
     */
    void closeForSlowConsumer() {
        if (phase != Phase.OPEN) {
            return;
        }
        phase = Phase.FAILED;
        connection.logChannelFault(this, ProtocolFault.at(0, ReplyCode.RESOURCE_ERROR, ConsumerSink.TOO_SLOW));
        FrameEncoder.channelClose(
                connection.out(), number, ReplyCode.RESOURCE_ERROR.code(), ConsumerSink.TOO_SLOW, 0);
        release();
    }

    private void refused(BrokerError error, int method) {
        ProtocolFault fault = BrokerFaults.of(error, method);
        if (BrokerFaults.closesConnection(error)) {
            connection.fail(fault);
        } else {
            fail(fault);
        }
    }

    /** Closes the whole connection for an error of the client's (spec, connection.close). */
    void failConnection(ReplyCode code, int method, String text) {
        connection.fail(ProtocolFault.at(method, code, text));
    }

    private void closedByPeer() {
        phase = Phase.CLOSING;
        if (publishing.hasParked()) {
            closesWhenStored = true;
            awaited++;
        }
        release();
    }

    /** None of its publishes waits for room any more: a close that waits for that goes on, behind their confirms. */
    void noneParked() {
        if (closesWhenStored) {
            connection.loop().execute(this::closeIfStored);
        }
    }

    /** Confirms were written: a close that waits for them goes on. */
    void confirmed() {
        noneParked();
        connection.confirmed();
    }

    /** Whether publishes of it are not confirmed yet, and will be. */
    boolean owesConfirms() {
        return confirms() && publishing.owesConfirms();
    }

    private void closeIfStored() {
        if (!publishing.hasParked() && !publishing.owesConfirms()) {
            stopWaitingForParked();
        }
    }

    private void stopWaitingForParked() {
        if (closesWhenStored) {
            closesWhenStored = false;
            awaited--;
            releasedIfDone();
        }
    }

    /**
     * The connection goes, and the channel with it, without a word.
     *
     * @return whether {@link #release} is to follow, once all its channels have stopped
     */
    boolean stop() {
        if (phase == Phase.OPEN) {
            phase = Phase.GONE;
            return true;
        }
        if (phase == Phase.CLOSING) {
            phase = Phase.GONE;
            // With the connection, the broker drops what is parked.
            stopWaitingForParked();
        }
        return false;
    }

    /** Gives back all it holds. */
    void release() {
        awaited++;
        for (ParkedFrame frame : parked) {
            connection.unparked(frame.sizeBytes());
        }
        parked.clear();
        publishing.release();
        consuming.release(transaction);
        awaited--;
        releasedIfDone();
    }

    private void releasedIfDone() {
        if (awaited > 0) {
            return;
        }
        if (phase == Phase.CLOSING) {
            connection.channelClosed(this);
            phase = Phase.GONE;
        }
        connection.channelReleased();
    }

    private void gone() {
        phase = Phase.GONE;
        connection.forget(this);
    }
}
