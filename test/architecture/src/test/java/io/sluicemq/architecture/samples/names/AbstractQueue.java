package io.sluicemq.architecture.samples.names;

/** A base that everything would extend. */
abstract class AbstractQueue {}
