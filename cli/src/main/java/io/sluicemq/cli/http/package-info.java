/** A broker's HTTP API as commands ask it: where it is, who asks, what is wrong if there is no answer. */
package io.sluicemq.cli.http;
