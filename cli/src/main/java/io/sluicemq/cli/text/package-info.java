/** How things are written for people and for programs: columns, units, JSON, YAML, and names that could steer a terminal. */
package io.sluicemq.cli.text;
