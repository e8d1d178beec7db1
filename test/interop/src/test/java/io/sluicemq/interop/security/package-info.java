/** Who may do what, and what those see who may not: with clients that applications use, by each protocol. */
package io.sluicemq.interop.security;
