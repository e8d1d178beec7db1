/** The security module. */
package io.sluicemq.security;
