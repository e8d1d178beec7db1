package io.sluicemq.architecture.samples.cycle.a;

import io.sluicemq.architecture.samples.cycle.b.B;

/** Half of a cycle. */
public record A(B b) {}
