/**
 * Values of arguments that no Java type stands for by itself, so that each keeps its type from the client through the broker
 * and its log and back. Immutable, equal by content; named for no protocol.
 */
package io.sluicemq.api.value;
