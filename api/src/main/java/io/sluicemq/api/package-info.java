/** The api module. */
package io.sluicemq.api;
