/** What tests of the loop-owned code stand on: {@link io.sluicemq.testkit.ManualLoop loops driven by hand}. */
package io.sluicemq.testkit;
