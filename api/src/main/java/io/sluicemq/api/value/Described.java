package io.sluicemq.api.value;

/** A value of an application's own type, with the descriptor that names the type. */
public record Described(Object descriptor, Object value) {}
