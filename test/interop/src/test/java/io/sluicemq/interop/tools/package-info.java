/** Clients of other languages, run as processes of their own; skipped where they are not installed. */
package io.sluicemq.interop.tools;
