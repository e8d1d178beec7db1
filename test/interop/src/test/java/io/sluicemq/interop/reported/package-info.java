/** Faults that were reported in public against some broker, and must not be found in this one. */
package io.sluicemq.interop.reported;
