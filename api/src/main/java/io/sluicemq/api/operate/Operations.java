package io.sluicemq.api.operate;

import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A broker as its operators see it. All methods may be called from any thread, and none of them waits: what lives on loops is asked there, a
 * few things in each turn, so that however much there is no loop is held up by it. What is answered about many things is of slightly
 * different moments.
 *
 * <p>What is done is done as the user who wants it, by a client of the broker that is there for no longer than that: so whatever
 * holds for clients of protocols holds here, too. A future of it fails with {@link Refused}; any future fails otherwise if the
 * broker has a defect, and may never complete when the broker has been stopped.
 */
public interface Operations {

    // ---- what there is

    CompletableFuture<Overview> overview();

    /** All that is measured. It looks at every queue, so it is not to be asked for more often than a few times a second. */
    CompletableFuture<Measures> measures();

    /** Done when every loop has got round to answer. */
    CompletableFuture<Void> answering();

    /** The names of all virtual hosts, in their order in the configuration. */
    List<String> virtualHosts();

    /** Numbers of a virtual host; empty if there is none of that name. */
    CompletableFuture<Optional<VirtualHostView>> virtualHost(String name);

    /**
     * All exchanges of a virtual host as they are in this moment, in no order.
     *
     * @throws Refused if there is no such virtual host
     */
    List<ExchangeView> exchanges(String virtualHost);

    /** One exchange of a virtual host; empty if there is none of that name. Throws as {@link #exchanges}. */
    Optional<ExchangeView> exchange(String virtualHost, String name);

    /** All bindings of a virtual host, without those of the default exchange, in no order. Throws as {@link #exchanges}. */
    List<BindingSpec> bindings(String virtualHost);

    /** The bindings that lead to a queue, or to an exchange. Throws as {@link #exchanges}. */
    List<BindingSpec> bindingsTo(String virtualHost, String destination, boolean toExchange);

    /** How many queues a virtual host has. Throws as {@link #exchanges}. */
    int queueCount(String virtualHost);

    /** How many exchanges a virtual host has, with those that are always there. Throws as {@link #exchanges}. */
    int exchangeCount(String virtualHost);

    /** What all queues of a virtual host were declared as, in no order. Throws as {@link #exchanges}. */
    List<QueueFacts> queues(String virtualHost);

    /** What a queue was declared as; empty if there is none of that name. Throws as {@link #exchanges}. */
    Optional<QueueFacts> queue(String virtualHost, String name);

    /** Looks at queues; those that have gone since are left out. In the order of {@code which}. */
    CompletableFuture<List<QueueView>> look(Collection<QueueFacts> which);

    /** The consumers of these queues, in the order of {@code which}. */
    CompletableFuture<List<ConsumerView>> consumers(Collection<QueueFacts> which);

    /** All clients that protocols have brought in, in no order. */
    CompletableFuture<List<ConnectionView>> connections();

    /**
     * What addresses hold, who waits for them and who could make room. It takes a moment longer, since consumers are looked at twice.
     *
     * @param virtualHost of this virtual host only; null for all
     * @param name of this name only; null for all
     * @param waitingOnly those only that a producer waits for
     */
    CompletableFuture<List<AddressView>> addresses(String virtualHost, String name, boolean waitingOnly);

    /**
     * Where somebody is held, or soon will be: addresses that a producer waits for, then full ones, the fullest first. It takes as long as
     * {@link #addresses}, but however many addresses there are, only so many are told of.
     *
     * @param most addresses of each virtual host
     */
    CompletableFuture<Pressure> pressure(int most);

    /** What all publishers of the broker wait for, memory or the disk; empty if they needn't. */
    CompletableFuture<Optional<ShortageView>> shortage();

    /** What has happened of late, the latest first; a bounded number of each kind. */
    CompletableFuture<List<Event>> events();

    /** Notes something that has happened, for {@link #events}. */
    void note(Event.Kind kind, String virtualHost, String subject, String text);

    // ---- what is to be done

    CompletableFuture<QueueStatus> declareQueue(Actor actor, String virtualHost, QueueSpec spec);

    /** Deletes a queue; the result is the number of messages deleted with it. */
    CompletableFuture<Long> deleteQueue(
            Actor actor, String virtualHost, String name, boolean ifUnused, boolean ifEmpty);

    /** Drops the ready messages of a queue; the result is their number. */
    CompletableFuture<Long> purge(Actor actor, String virtualHost, String queue);

    CompletableFuture<Void> declareExchange(Actor actor, String virtualHost, ExchangeSpec spec);

    CompletableFuture<Void> deleteExchange(Actor actor, String virtualHost, String name, boolean ifUnused);

    CompletableFuture<Void> bind(Actor actor, String virtualHost, BindingSpec binding);

    CompletableFuture<Void> unbind(Actor actor, String virtualHost, BindingSpec binding);

    /**
     * Publishes a message. The result is there when it is stored in all queues that it goes to; it is the number of these.
     * A message for which there is no room waits for it: whoever does not want to wait any more cancels the future, which drops it.
     */
    CompletableFuture<Integer> publish(Actor actor, String virtualHost, Publication publication);

    /**
     * Takes messages from a queue's head, and settles them.
     *
     * @param most how many at most, 1 or more; fewer if all there are have come, or if they are large
     */
    CompletableFuture<List<MessageView>> get(
            Actor actor, String virtualHost, String queue, int most, GetMode mode, int mostBodyBytes);

    /** What becomes of messages that were got. */
    enum GetMode {
        /** They leave the queue. */
        ACCEPT,
        /** They return to their place, and count one failed delivery. */
        REQUEUE,
        /** They are dead letters, or dropped if the queue has nowhere to send these. */
        REJECT
    }

    /**
     * Shows the first ready messages of a queue and leaves them where they are.
     *
     * @param most how many at most, 1 or more
     * @param mostBodyBytes how much of each body is shown
     */
    CompletableFuture<List<MessageView>> browse(
            Actor actor, String virtualHost, String queue, int most, int mostBodyBytes);

    /**
     * Moves messages from a queue's head, each batch of them in one transaction: none is lost or doubled, whatever happens.
     *
     * @param most how many at most; what comes while it goes on may be among them
     * @param to where each of them goes
     * @return how many have moved; the future fails if none has, for the reason that stopped it
     */
    CompletableFuture<Moved> move(Actor actor, String virtualHost, String queue, long most, MoveTarget to);

    /**
     * Stops a queue's deliveries, or has them go on: what is published to it stays, nobody is given anything, until it is resumed or the
     * broker starts again.
     */
    CompletableFuture<Void> pause(Actor actor, String virtualHost, String queue, boolean paused);

    /** Closes the connection of a client, which is told the reason; false if there is none of that name. */
    CompletableFuture<Boolean> closeConnection(Actor actor, String name, String reason);
}
