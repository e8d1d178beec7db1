/** The broker module. */
package io.sluicemq.broker;
