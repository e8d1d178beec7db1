/**
 * How a message finds its queues: exchanges, bindings and the tables they make.
 *
 * <p>Everything here is pure data. A {@link io.sluicemq.broker.routing.RoutingTable} is an immutable snapshot: one writer derives
 * the next from the last, and any loop routes on the one it has read, for as long as it likes. The package knows neither queues
 * (they are a type parameter) nor threads, protocols or sockets. The only mutable class is
 * {@link io.sluicemq.broker.routing.RouteSet}, the reusable result of one caller.
 *
 * <p>A new exchange type is one class that implements {@code BindingIndex} and one constant of
 * {@link io.sluicemq.broker.routing.ExchangeType}.
 */
package io.sluicemq.broker.routing;
