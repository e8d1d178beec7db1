package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.ReplyAddress;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.Destination.Unreached;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/**
 * Finds what an address names, and makes the queue that it names if there is none and that is wanted. Owned by the client's loop; it
 * keeps nothing, so that what it says is as true as the topology.
 */
@LoopOwned
final class Destinations {

    /** What the names of the broker's own begin with; only the broker makes them. */
    private static final String RESERVED = "amq.";

    private final Client client;
    private final boolean autoCreateQueues;
    private final NewQueues newQueues;

    Destinations(Client client, boolean autoCreateQueues, NewQueues newQueues) {
        this.client = client;
        this.autoCreateQueues = autoCreateQueues;
        this.newQueues = newQueues;
    }

    /** Where messages for an address go. */
    void resolve(String address, NodeKind kind, Answer<Destination> answer) {
        switch (Address.parse(address, kind)) {
            case Address.Invalid invalid -> answer.refused(TerminusError.invalid(invalid.reason()));
            case Address.Name name when exchangeWins(name.name()) -> exchange(
                    name.name(), null, Unreached.ACCEPTED, answer);
            case Address.Name name -> queue(name.name(), true, answer);
            case Address.Queue queue -> queue(queue.name(), queue.create(), answer);
            case Address.Topic topic -> topic(topic, answer);
            case Address.Exchange exchange -> exchange(
                    exchange.name(), exchange.key(), exchange.rabbit() ? Unreached.RELEASED : Unreached.ACCEPTED,
                    answer);
        }
    }

    /** Whether a plain name is an exchange's and no queue's. */
    boolean exchangeWins(String name) {
        if (!exists(name)) {
            return false;
        }
        boolean[] queue = new boolean[1];
        client.describeQueue(name, new On<>(spec -> queue[0] = true, error -> {}));
        return !queue[0];
    }

    /** Whether there is an exchange of that name. */
    boolean exists(String exchange) {
        return client.checkExchange(exchange) != Client.NO_EXCHANGE;
    }

    private void queue(String name, boolean create, Answer<Destination> answer) {
        if (name.startsWith(ReplyAddress.PREFIX)) {
            client.findReplyAddress(name, On.success(answer, found -> {
                if (found) {
                    answer.done(Destination.queue(name));
                } else {
                    answer.refused(TerminusError.notFound("reply address", name));
                }
            }));
            return;
        }
        if (refuses("", name, answer)) {
            return;
        }
        client.describeQueue(name, new On<>(
                spec -> answer.done(Destination.queue(name)),
                missing -> create(
                        name, create, missing,
                        Answer.passing(answer, made -> answer.done(Destination.queue(name))))));
    }

    /** Makes a queue that wasn't there, if {@code wanted} and nothing speaks against it. */
    void create(String name, boolean wanted, BrokerError missing, Answer<Void> answer) {
        if (!wanted || !autoCreateQueues || name.startsWith(RESERVED)) {
            answer.refused(TerminusError.of(missing));
            return;
        }
        newQueues.make(name, answer);
    }

    private void topic(Address.Topic topic, Answer<Destination> answer) {
        if (topic.exchangeOnly() || exists(topic.name())) {
            exchange(topic.name(), null, Unreached.ACCEPTED, answer);
        } else if (!refuses(Address.DEFAULT_TOPICS, topic.name(), answer)) {
            answer.done(new Destination(Address.DEFAULT_TOPICS, topic.name(), Unreached.ACCEPTED));
        }
    }

    private void exchange(String name, String key, Unreached unreached, Answer<Destination> answer) {
        if (refuses(name, key, answer)) {
            return;
        }
        switch (client.checkExchange(name)) {
            case Client.NO_EXCHANGE -> answer.refused(TerminusError.notFound("exchange", name));
            case Client.INTERNAL_EXCHANGE -> answer.refused(new TerminusError(
                    AmqpError.NOT_ALLOWED, "exchange '" + name + "' is internal: nobody publishes to it directly"));
            default -> answer.done(new Destination(name, key, unreached));
        }
    }

    /** Refuses what the user may not publish to. */
    private boolean refuses(String exchange, String key, Answer<Destination> answer) {
        BrokerError refusal = client.publishRefusal(exchange, key);
        if (refusal != null) {
            answer.refused(TerminusError.of(refusal));
        }
        return refusal != null;
    }
}
