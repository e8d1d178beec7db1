package io.sluicemq.architecture.samples.protocols.one;

import io.sluicemq.architecture.samples.protocols.two.Two;

/** A protocol that uses another. */
public record One(Two two) {}
