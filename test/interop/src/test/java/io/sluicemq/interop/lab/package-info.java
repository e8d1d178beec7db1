/** What the tests work with: a place at the broker, a consumer that keeps what comes, refusals as values, marks. */
package io.sluicemq.interop.lab;
