package io.sluicemq.api.value;

/**
 * A name out of a constrained domain, kept apart from texts so that its type survives.
 *
 * @param name ASCII
 */
public record Symbol(String name) {}
