/** Commands that ask a broker over HTTP what there is, and tell it what to do. */
package io.sluicemq.cli.operate;
