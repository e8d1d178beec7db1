/** How a running broker is asked and told from outside: by its administrators' socket, one line of JSON for another. */
package io.sluicemq.management;
