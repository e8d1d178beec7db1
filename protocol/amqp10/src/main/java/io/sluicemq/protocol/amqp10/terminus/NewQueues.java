package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Undeliverable;
import io.sluicemq.base.LoopOwned;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What queues are made with that nobody has declared: priorities, and what is configured for messages that nobody takes. Queues that
 * such messages go to are made as well if they aren't there, without anything of that kind of their own. Owned by the client's loop.
 */
@LoopOwned
final class NewQueues {

    /** Messages have priorities from 0 to 9 (§3.2.1), and every queue that is made here tells them apart. */
    static final Map<String, Object> WITH_PRIORITIES = Map.of("x-max-priority", 9);

    private static final String DEFAULT_EXCHANGE = "";

    private final Client client;

    NewQueues(Client client) {
        this.client = client;
    }

    /** Makes a durable one for all, unless there is one by now. */
    void make(String name, Answer<Void> answer) {
        arguments(name, WITH_PRIORITIES, Answer.passing(answer, arguments -> declare(name, arguments, answer)));
    }

    /**
     * Adds to a queue's arguments what is configured for its address; answers when the queues are there which that refers to.
     *
     * @param address by which it is configured: the queue's name, or the topic's that it is subscribed to
     */
    void arguments(String address, Map<String, Object> given, Answer<Map<String, Object>> answer) {
        Undeliverable configured = client.undeliverable(address);
        String letters = configured.deadLetterAddress();
        String expired = configured.expiryAddress();
        if (address.equals(letters) || address.equals(expired)) {
            answer.done(given); // they have arrived: there is nothing where they could go from here
            return;
        }
        Map<String, Object> arguments = new HashMap<>(given);
        Set<String> needed = new LinkedHashSet<>();
        if (configured.maxDeliveryAttempts() != Undeliverable.UNLIMITED) {
            // The limit counts how often a message comes back.
            arguments.put("x-delivery-limit", configured.maxDeliveryAttempts() - 1);
        }
        if (letters != null) {
            arguments.put("x-dead-letter-exchange", DEFAULT_EXCHANGE);
            arguments.put("x-dead-letter-routing-key", letters);
            needed.add(letters);
        }
        if (expired != null) {
            arguments.put("x-expiry-address", expired);
            needed.add(expired);
        }
        need(needed.iterator(), Answer.passing(answer, made -> answer.done(arguments)));
    }

    private void need(Iterator<String> names, Answer<Void> answer) {
        if (!names.hasNext()) {
            answer.done(null);
            return;
        }
        String name = names.next();
        Answer<Void> then = Answer.passing(answer, made -> need(names, answer));
        client.describeQueue(name, new On<>(
                there -> then.done(null),
                missing -> declare(name, WITH_PRIORITIES, then)));
    }

    private void declare(String name, Map<String, Object> given, Answer<Void> answer) {
        Map<String, Object> arguments = new HashMap<>(given);
        arguments.put(QueueSpec.MADE_BY_USE, true);
        client.declareQueue(new QueueSpec(name, true, false, false, arguments), new On<>(
                status -> answer.done(null),
                error -> {
                    // Somebody was faster, and wanted it otherwise: it is there.
                    if (error instanceof BrokerError.Inequivalent || error instanceof BrokerError.Locked) {
                        answer.done(null);
                    } else {
                        answer.refused(TerminusError.of(error));
                    }
                }));
    }
}
