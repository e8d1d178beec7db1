/**
 * Options as data: a name, a type, a default, bounds and what it is for. Parsing, checking, the words of an error and the
 * reference documentation all come from the same declaration. Nothing here knows a file format: a reader fills {@link
 * io.sluicemq.base.option.Settings} by the {@link io.sluicemq.base.option.Section} it was given.
 */
package io.sluicemq.base.option;
