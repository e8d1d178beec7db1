/** The cli module. */
package io.sluicemq.cli;
