/** A broker for the tests of an application: {@link io.sluicemq.junit.SluiceMQExtension}. */
package io.sluicemq.junit;
