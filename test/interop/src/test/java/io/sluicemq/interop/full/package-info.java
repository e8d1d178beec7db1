/** Full addresses as real clients meet them: who is held, what is told, what goes on meanwhile, and that nothing is lost. */
package io.sluicemq.interop.full;
