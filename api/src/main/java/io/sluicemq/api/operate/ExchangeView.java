package io.sluicemq.api.operate;

import io.sluicemq.api.Client.ExchangeSpec;

/**
 * An exchange.
 *
 * @param bindings how many bindings lead away from it
 */
public record ExchangeView(String virtualHost, ExchangeSpec spec, int bindings) {}
