package io.sluicemq.architecture.samples.protocols.two;

/** The protocol that is used. */
public record Two(int value) {}
