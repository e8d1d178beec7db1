package io.sluicemq.broker.routing;

import java.util.Map;

/**
 * Where a route gets the headers of a message from, should it need them: only headers exchanges ask.
 *
 * <p>A message that passes several headers exchanges is asked once at each, so a source that has to decode should keep the result.
 */
@FunctionalInterface
public interface HeaderSource {

    /** For messages that have no headers. */
    HeaderSource NONE = Map::of;

    /**
     * The headers as {@link Arguments} understands their values.
     *
     * @return never null; a null value stands for a header that is present without a value
     */
    Map<String, Object> headers();
}
