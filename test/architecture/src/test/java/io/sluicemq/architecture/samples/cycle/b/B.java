package io.sluicemq.architecture.samples.cycle.b;

import io.sluicemq.architecture.samples.cycle.a.A;

/** The other half. */
public record B(A a) {}
