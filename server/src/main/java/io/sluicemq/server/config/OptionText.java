package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType.Kind;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/** Writes values as YAML that is read as the same ones. Stateless. */
final class OptionText {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z/.][A-Za-z0-9_./%-]*");
    private static final List<String> NOT_TEXT =
            List.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private OptionText() {}

    /** An option's value. */
    static <T> String of(Option<T> option, T value) {
        if (value instanceof List<?> list) {
            return "[" + String.join(", ", list.stream().map(each -> quoted(String.valueOf(each))).toList()) + "]";
        }
        String text = option.type().format(value);
        return isText(option) ? quoted(text) : text;
    }

    /** What stands in a file for an option's sample; the text of a list is its elements with commas between. */
    static String sample(Option<?> option) {
        String text = option.sample();
        if (text == null) {
            return "";
        }
        if (option.type().form().kind() == Kind.LIST) {
            return "[" + text + "]";
        }
        return isText(option) ? quoted(text) : text;
    }

    private static boolean isText(Option<?> option) {
        return switch (option.type().form().kind()) {
            case TEXT, PATH, HOST_PORT, LIST -> true;
            case WHOLE_NUMBER, TRUE_OR_FALSE, SIZE, SIZE_OR_PERCENT, DURATION, PERCENT, WORD -> false;
        };
    }

    /** Text in quotes if YAML, or a person, could take it for something else. */
    static String quoted(String text) {
        return PLAIN.matcher(text).matches() && !NOT_TEXT.contains(text.toLowerCase(Locale.ROOT))
                ? text
                : JSON.writeValueAsString(text);
    }
}
