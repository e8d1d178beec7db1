/** Message selectors: the language of JMS (Jakarta Messaging §3.8), read once and evaluated on any loop. */
package io.sluicemq.selector;
