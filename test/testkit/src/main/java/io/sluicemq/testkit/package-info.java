/** What tests of the loop-owned code stand on: {@link io.sluicemq.testkit.ManualLoop loops driven by hand}, and {@link io.sluicemq.testkit.LogCapture what was logged}. */
package io.sluicemq.testkit;
