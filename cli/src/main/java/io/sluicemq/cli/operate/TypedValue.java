package io.sluicemq.cli.operate;

import io.sluicemq.cli.text.Structured;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Values of headers and arguments on a command line: what reads as JSON is that, such as a number, all else is a text. Stateless. */
final class TypedValue {

    private TypedValue() {}

    static ObjectNode object(Map<String, String> values) {
        ObjectNode object = Structured.object();
        if (values != null) {
            values.forEach((name, value) -> object.set(name, of(value)));
        }
        return object;
    }

    private static JsonNode of(String text) {
        if (text.matches("-?\\d+(\\.\\d+)?|true|false|[\\[{\"].*")) {
            try {
                return Structured.read(text);
            } catch (JacksonException e) {
                return Structured.text(text); // as with 007, or a brace that means itself
            }
        }
        return Structured.text(text);
    }
}
