package io.sluicemq.architecture.samples.arrows.lower;

import io.sluicemq.architecture.samples.arrows.upper.Upper;

/** Imports the module above it. */
public record Lower(Upper[] upper) {}
