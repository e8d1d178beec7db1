package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.MessageFilter;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the meaning of termini depends on beside the client.
 *
 * @param autoCreateQueues whether a queue that is named and isn't there is made
 * @param selectors turns a selector's text into a filter; throws {@link IllegalArgumentException}, with a message for people, if it
 *     is not a selector
 * @param names makes names that nobody can guess
 */
public record TerminusOptions(
        boolean autoCreateQueues, Function<String, MessageFilter> selectors, Supplier<String> names) {}
