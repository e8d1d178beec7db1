package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes what a configuration may hold as a JSON Schema (draft 2020-12), by which editors complete and check a file while it is
 * written. It takes all that the broker takes, and refuses most of what it refuses: not what does not fit together. Stateless.
 */
public final class JsonSchema {

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private static final String NUMBER_AND = "^[0-9]+ ?";
    private static final String SIZE = NUMBER_AND + "([kKmMgGtT]([iI]?[bB])?|[bB])?$";
    private static final String DURATION = NUMBER_AND + "([mM][sS]|[sSmMhHdD])$";
    private static final String PERCENT = "^[0-9]{1,3} ?%$";

    private JsonSchema() {}

    public static String of(Section root) {
        ObjectNode schema = JSON.createObjectNode();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "The configuration of SluiceMQ");
        section(root, schema);
        return JSON.writeValueAsString(schema) + "\n";
    }

    private static void section(Section section, ObjectNode schema) {
        // A section whose keys are all commented out is empty.
        types(schema, "object", section.entries().stream().anyMatch(JsonSchema::isRequired) ? null : "null");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JSON.createArrayNode();
        for (Entry entry : section.entries()) {
            ObjectNode property = properties.putObject(entry.key());
            property.put("description", entry.doc());
            switch (entry) {
                case Option<?> option -> option(option, property);
                case Section inner -> section(inner, property);
                case NamedSections named -> {
                    types(property, "object", "null");
                    section(named.item(), property.putObject("additionalProperties"));
                }
                case SectionList list -> {
                    types(property, "array", "null");
                    section(list.item(), property.putObject("items"));
                }
            }
            if (isRequired(entry)) {
                required.add(entry.key());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        schema.put("additionalProperties", false);
    }

    private static void types(ObjectNode schema, String type, String other) {
        if (other == null) {
            schema.put("type", type);
        } else {
            schema.putArray("type").add(type).add(other);
        }
    }

    private static boolean isRequired(Entry entry) {
        return entry instanceof Option<?> option && option.isRequired();
    }

    private static <T> void option(Option<T> option, ObjectNode schema) {
        OptionType.Form form = option.type().form();
        ArrayNode any = JSON.createArrayNode();
        switch (form.kind()) {
            // Digits alone are text, too, to a reader that takes values as they are written.
            case TEXT, PATH, HOST_PORT -> any.add(typed("string")).add(typed("number")).add(typed("boolean"));
            case WHOLE_NUMBER -> any.add(bounded(option));
            case TRUE_OR_FALSE -> any.add(typed("boolean"));
            case SIZE -> any.add(typed("integer")).add(matching(SIZE));
            case SIZE_OR_PERCENT -> any.add(typed("integer")).add(matching(SIZE)).add(matching(PERCENT));
            case DURATION -> any.add(JSON.createObjectNode().put("const", 0)).add(matching(DURATION));
            case PERCENT -> any.add(matching(PERCENT));
            case WORD -> any.add(words(form.words()));
            case LIST -> {
                ObjectNode list = typed("array");
                list.putObject("items").putArray("type").add("string").add("number").add("boolean");
                any.add(list);
            }
        }
        if (form.none()) {
            any.add(matching("^[nN][oO][nN][eE]$"));
        }
        if (any.size() == 1) {
            schema.setAll((ObjectNode) any.get(0));
        } else {
            schema.set("anyOf", any);
        }
        String text = option.defaultText();
        schema.put("description", option.doc() + " Expected: " + option.expected() + "."
                + (text == null ? "" : " Default: " + text + "."));
    }

    private static ObjectNode typed(String type) {
        return JSON.createObjectNode().put("type", type);
    }

    private static ObjectNode matching(String pattern) {
        return typed("string").put("pattern", pattern);
    }

    /** The value that stands for none is above the others, and has its word. */
    private static <T> ObjectNode bounded(Option<T> option) {
        ObjectNode number = typed("integer");
        if (option.min() instanceof Number least) {
            number.put("minimum", least.longValue());
        }
        if (option.max() instanceof Number most && !option.type().form().none()) {
            number.put("maximum", most.longValue());
        }
        return number;
    }

    /** The broker takes them in any case, and with underscores. */
    private static ObjectNode words(List<String> words) {
        ObjectNode one = JSON.createObjectNode();
        ArrayNode any = one.putArray("anyOf");
        ArrayNode constants = any.addObject().putArray("enum");
        words.forEach(constants::add);
        StringBuilder pattern = new StringBuilder();
        for (String word : words) {
            pattern.append(pattern.isEmpty() ? "^(" : "|");
            for (char c : word.toCharArray()) {
                pattern.append(c == '-' ? "[-_]" : "[" + c + Character.toUpperCase(c) + "]");
            }
        }
        any.add(matching(pattern.append(")$").toString()));
        return one;
    }
}
