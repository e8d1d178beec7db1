package io.sluicemq.api;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.List;
import java.util.Map;

/**
 * One connected client in one virtual host, owned by its connection's loop: all calls are made on it and all answers come
 * on it. After {@link #close} nothing may be called.
 *
 * <p>Requests that the client's user has no {@link Permission} for fail with {@link BrokerError.AccessRefused}. What a protocol only
 * looks up (find, describe) needs none.
 */
@LoopOwned
public interface Client {

    /** {@link #publish}: there is no exchange of that name. */
    int NO_EXCHANGE = -1;

    /** {@link #publish}: the exchange is internal, reached through bindings only. */
    int INTERNAL_EXCHANGE = -2;

    /** {@link #publish}: the user may not publish there; {@link #publishRefusal} says what is not allowed. */
    int NO_ACCESS = -3;

    /**
     * What the names of topics (exchanges) begin with that a protocol makes for one connection, as it makes queues without a name: they
     * can't be guessed, so who knows one may use it.
     */
    String TEMPORARY_TOPIC = "temporary-topic-";

    Loop loop();

    String virtualHost();

    /**
     * The protocol is about to open a channel (session) for this client; {@link #channelsChanged} tells of its end.
     *
     * @return why it may not; null if it may, and then it counts
     */
    default BrokerError openChannel() {
        channelsChanged(1);
        return null;
    }

    /** Counts the protocol's channels (sessions) of this client, for the broker's numbers. */
    void channelsChanged(int difference);

    // ---- topology

    /** Declares an exchange, or checks that the one of that name is equivalent. */
    void declareExchange(ExchangeSpec spec, Reply<Void> reply);

    /** Checks that an exchange exists. */
    void findExchange(String name, Reply<Void> reply);

    /** What an exchange was declared as; fails with {@link BrokerError.NotFound} if there is none. */
    void describeExchange(String name, Reply<ExchangeSpec> reply);

    void deleteExchange(String name, boolean ifUnused, Reply<Void> reply);

    void bind(BindingSpec binding, Reply<Void> reply);

    /** Removes a binding; done also if there was none. */
    void unbind(BindingSpec binding, Reply<Void> reply);

    /**
     * Answers whether a queue is bound to an exchange.
     *
     * @param queue a queue's name, or null for any
     * @param routingKey a binding's key, or null for any
     */
    void isBound(String exchange, String queue, String routingKey, Reply<Bound> reply);

    /** Declares a queue, or checks that the one of that name is equivalent. An empty name makes the broker choose one. */
    void declareQueue(QueueSpec spec, Reply<QueueStatus> reply);

    /**
     * As {@link #declareQueue}, and binds the queue to an exchange in the same change: nobody comes between, to delete it or to
     * declare another of its name. Fails with {@link BrokerError.NotFound}, and declares nothing, if there is no such exchange.
     *
     * <p>It is a subscription, made by the protocol and named by it: the user needs to be allowed to read from the exchange, and nothing
     * else.
     */
    void declareBoundQueue(QueueSpec spec, String exchange, String routingKey, Reply<QueueStatus> reply);

    /** Checks that a queue exists and is not locked by another connection. */
    void findQueue(String name, Reply<QueueStatus> reply);

    /**
     * What a queue was declared as, also if another connection has it for itself; fails with {@link BrokerError.NotFound} if there
     * is none.
     */
    void describeQueue(String name, Reply<QueueSpec> reply);

    /** What is configured for messages of that address that nobody takes, at this moment. */
    default Undeliverable undeliverable(String address) {
        return Undeliverable.DROPPED;
    }

    /** Deletes a queue; the result is the number of messages deleted with it. */
    void deleteQueue(String name, boolean ifUnused, boolean ifEmpty, Reply<Long> reply);

    /** Removes the ready messages; the result is their number. */
    void purgeQueue(String name, Reply<Long> reply);

    // ---- publishing

    /**
     * Routes a message by its exchange and keys and hands it to every queue it reaches. For each of them {@code completion}
     * takes on an obligation, met when the queue has it, refused when the queue will not take it. The caller gives up the
     * initial hold itself.
     *
     * @param completion may be null if nobody waits
     * @param producer where it is published from, to be held when consumers are a little behind; may be null
     * @return how many queues it reaches, or {@link #NO_EXCHANGE}, {@link #INTERNAL_EXCHANGE} or {@link #NO_ACCESS}
     */
    int publish(Message message, Completion completion, Producer producer);

    /**
     * How large a message may be that the client publishes, at this moment, in bytes as its protocol counts them: the smaller of what its
     * user and its virtual host allow; {@link Long#MAX_VALUE} for any. Protocols refuse larger ones as soon as they know, and say so by
     * {@link #tooLarge}.
     */
    default long maxMessageBytes() {
        return Long.MAX_VALUE;
    }

    /** A message is refused as it is larger than {@link #maxMessageBytes}; counts, and the log tells of it. */
    default void tooLarge() {}

    /** As {@link #publish(Message, Completion, Producer)}, from where nothing can be held. */
    default int publish(Message message, Completion completion) {
        return publish(message, completion, null);
    }

    /**
     * Why the user may not publish to an exchange with a routing key, in the default exchange to the address of that name.
     *
     * @param routingKey null for any
     * @return null if they may
     */
    default BrokerError publishRefusal(String exchange, String routingKey) {
        return null;
    }

    /** Whether {@link #publish} would find the exchange: 0, {@link #NO_EXCHANGE} or {@link #INTERNAL_EXCHANGE}. */
    int checkExchange(String exchange);

    /**
     * Whether the loops that publishes go to are behind. A publisher then stops reading until {@code resume} is run, once,
     * on this loop. Returns false, and keeps nothing, if all is well.
     */
    boolean congested(Runnable resume);

    /**
     * The protocol holds so many more bytes for this client (fewer, if negative): frames that wait, messages that have not
     * arrived completely. They count as the memory of messages; what is left at {@link #close} is given back by that.
     */
    default void holds(long differenceBytes) {}

    /** How many bytes the protocol may {@linkplain #holds hold} for this client so that there is enough for all. */
    default long fairShareBytes() {
        return Long.MAX_VALUE;
    }

    /**
     * Asks for the memory of one large message that is about to arrive. Those who ask are served in turn, when memory is not
     * short and what the ones before them have got is not too much.
     *
     * @param granted run on this loop, perhaps at once; never after the reservation's release
     */
    default Reservation reserve(long bytes, Runnable granted) {
        granted.run();
        return () -> {};
    }

    /** Memory that was asked for. */
    interface Reservation {

        /** Gives it back, or no longer asks for it; to be called once. */
        void release();
    }

    /**
     * Opens a producer's credit for what it publishes to an exchange with a routing key. At an address that nothing limits it is
     * given as asked. What it {@linkplain #publish(Message, Completion, Producer) publishes}, wherever it goes, spends the
     * credit of one message.
     *
     * @throws IllegalStateException if the producer has a line that is not closed
     */
    CreditLine openCredit(String exchange, String routingKey, Producer producer, CreditLine.Sink sink);

    /** Opens a transaction: publishes and settlements held until its commit. */
    Transaction begin();

    // ---- consuming

    void subscribe(ConsumerSpec spec, ConsumerSink sink, Reply<Consumer> reply);

    /**
     * Takes one message from a queue's head; the result is null if none is ready.
     *
     * @param settled whether it counts as accepted at once
     */
    void get(String queue, boolean settled, Reply<Delivery> reply);

    /**
     * Opens an address for replies to this client: what is published to the returned name through the default exchange goes
     * straight to {@code sink}, without a queue, settled.
     */
    ReplyAddress openReplyAddress(ConsumerSink sink);

    /** Answers whether a name is a reply address somebody has open. */
    void findReplyAddress(String name, Reply<Boolean> reply);

    /**
     * The client is about to be closed, and nobody is interested any more in what it has published and is not stored: publishes that
     * wait for room are dropped, which their completions learn as {@link BrokerError.Unavailable}; commits that do fail. To be called before whatever waits for their answers.
     */
    default void abandon() {}

    /**
     * Ends the client's presence: its exclusive queues go. Consumers must have been cancelled and deliveries settled
     * before. The reply comes when other clients see the effects.
     */
    void close(Reply<Void> reply);

    /** A name for replies; owned by the client's loop. */
    interface ReplyAddress {

        /** What the names of all reply addresses begin with. */
        String PREFIX = "amq.rabbitmq.reply-to.";

        String name();

        /** As {@link Consumer#written}: replies beyond a fixed allowance of unwritten bytes are dropped and counted. */
        void written(long bytes);

        void close();
    }

    /**
     * An exchange.
     *
     * @param type its type's name, such as {@code topic}
     * @param internal reached through bindings only
     */
    record ExchangeSpec(
            String name,
            String type,
            boolean durable,
            boolean autoDelete,
            boolean internal,
            Map<String, Object> arguments) {}

    /**
     * A queue.
     *
     * @param exclusive only this connection may use it, and it goes with it
     */
    record QueueSpec(
            String name, boolean durable, boolean exclusive, boolean autoDelete, Map<String, Object> arguments) {

        /**
         * An argument, true, of a queue that nobody has declared: a protocol has made it as it was named. A declaration finds it as
         * it wants it if its own arguments are so, whatever others the protocol has given it; one with this argument finds any.
         */
        public static final String MADE_BY_USE = "x-made-by-use";

        /** An argument of a queue that was made to be a subscription: the topic that it is to. */
        public static final String SUBSCRIBES_TO = "x-topic";

        /** An argument of such a queue whose topic is an exchange: the binding key, if it is not to have all. */
        public static final String SUBSCRIBES_WITH_KEY = "x-key";

        /** What the names begin with that the broker chooses. */
        public static final String GENERATED = "amq.gen-";
    }

    /** A queue's numbers at the moment of the answer. */
    record QueueStatus(String name, long readyMessages, int consumers) {}

    /** A binding from the exchange {@code source} to a queue or, if {@code toExchange}, to an exchange. */
    record BindingSpec(
            String source, String destination, boolean toExchange, String routingKey, Map<String, Object> arguments) {}

    /** The answer to {@link Client#isBound}. */
    enum Bound {
        YES,
        NO_EXCHANGE,
        NO_QUEUE,
        NO_BINDINGS,
        QUEUE_NOT_BOUND,
        KEY_NOT_BOUND,
        QUEUE_NOT_BOUND_WITH_KEY
    }

    /**
     * Publishes and settlements that happen together or not at all. Its messages count in the broker's memory from the start;
     * it ends by one {@link #commit} or {@link #discard}.
     */
    interface Transaction {

        /** Adds a message; returns as {@link Client#publish}, which it will do at the commit. */
        int publish(Message message);

        /**
         * As {@link #publish(Message)}, from a producer with a credit line, which spends that of one message. The message takes its
         * room at the commit, as all others, and the line gives back what it held for it: a transaction that is long
         * under way keeps nobody out.
         */
        default int publish(Message message, Producer producer) {
            return publish(message);
        }

        /** Adds settlements, done at the commit in this order. */
        void settle(List<Delivery> deliveries, Delivery.Outcome outcome);

        /** Forgets it all: nothing of it happens. Deliveries given to {@link #settle} are the caller's again. */
        void discard();

        /** Does it all; if one queue refuses its messages, nothing is done and the reply fails. */
        void commit(Reply<Void> reply);
    }
}
