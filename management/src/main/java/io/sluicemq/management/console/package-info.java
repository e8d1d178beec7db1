/** The web console: files that a browser runs, and the routes by which it gets them. All that it knows it asks of the HTTP API. */
package io.sluicemq.management.console;
