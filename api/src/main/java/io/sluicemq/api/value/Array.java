package io.sluicemq.api.value;

import java.util.List;

/**
 * Values that all are of one type, kept apart from lists so that the type survives.
 *
 * @param elements not to be changed
 */
public record Array(List<?> elements) {}
