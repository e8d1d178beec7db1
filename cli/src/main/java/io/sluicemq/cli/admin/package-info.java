/** Commands that ask the broker that runs on a data folder, or tell it something, by its administrators' socket. */
package io.sluicemq.cli.admin;
