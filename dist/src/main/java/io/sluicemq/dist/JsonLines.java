package io.sluicemq.dist;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.JsonEscapeUtil;
import java.util.List;
import org.slf4j.Marker;

/**
 * Lines of the log as JSON objects, with the id of what has happened in the field {@value #EVENT}; lines that have none, which are those of
 * libraries and of DEBUG, lack the field. Named in {@code log-json.xml}. Used by whoever logs, one at a time.
 */
public final class JsonLines extends JsonEncoder {

    static final String EVENT = "event";

    /** In the place of an array of markers: a line has one at most, and it is an id. */
    @Override
    protected void appendMarkers(StringBuilder line, ILoggingEvent event) {
        List<Marker> markers = event.getMarkerList();
        if (markers != null && !markers.isEmpty()) {
            line.append(VALUE_SEPARATOR);
            appenderMember(line, EVENT, JsonEscapeUtil.jsonEscapeString(markers.getFirst().getName()));
        }
    }
}
