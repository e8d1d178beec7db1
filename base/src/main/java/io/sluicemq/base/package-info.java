/** The base module. */
package io.sluicemq.base;
