package io.sluicemq.architecture.samples.arrows.upper;

import org.assertj.core.api.Assert;

/** Imports a library that its module has not been given. */
public class Upper {
    public Assert<?, ?> library;
}
