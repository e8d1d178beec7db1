/**
 * The broker over HTTP: a server on threads of its own, routes as data, and what each of them answers. It knows {@link
 * io.sluicemq.api.operate.Operations} and {@link io.sluicemq.api.operate.ServerOperations}, and nothing else of the broker.
 */
package io.sluicemq.management.http;
