package io.sluicemq.server;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings as text by their keys, such as {@code limits.heartbeat} and {@code 60s}: read one by one, and shown all together. Stateless. */
final class SettingText {

    private static final String SECRET = "***";

    private SettingText() {}

    /** Sets one value of a section by its key; what is wrong with that becomes a problem. */
    static void set(String key, String value, Settings section, Place place, List<Problem> problems) {
        Optional<Entry> found = section.section().find(key);
        if (found.isPresent() && found.get() instanceof Option<?> option) {
            set(section, option, key, value, place, problems);
        } else if (found.isPresent()) {
            problems.add(Problem.of(place, key, "'" + key + "' is no single value: a file can set it"));
        } else {
            problems.add(Problem.unknownKey(place, "", key, section.section().keys()));
        }
    }

    private static <T> void set(
            Settings at, Option<T> option, String key, String value, Place place, List<Problem> problems) {
        try {
            at.set(option, option.parse(value), place);
        } catch (InvalidValue e) {
            problems.add(Problem.invalidValue(place, key, option, value, e.expected()));
        }
    }

    /** All values in force, defaults among them, in the order of the reference; those of secrets are not told. */
    static Map<String, String> all(Settings settings) {
        Map<String, String> all = new LinkedHashMap<>();
        collect("", settings, all);
        return all;
    }

    private static void collect(String prefix, Settings settings, Map<String, String> all) {
        for (Entry entry : settings.section().entries()) {
            String key = prefix + entry.key();
            switch (entry) {
                case Option<?> option -> option(key, settings, option, all);
                case Section section -> collect(key + ".", settings.section(section), all);
                case NamedSections named ->
                    settings.sections(named).forEach((name, inner) -> collect(key + "." + name + ".", inner, all));
                case SectionList list -> {
                    int number = 0;
                    for (Settings inner : settings.list(list)) {
                        collect(key + "[" + number++ + "].", inner, all);
                    }
                }
            }
        }
    }

    private static <T> void option(String key, Settings settings, Option<T> option, Map<String, String> all) {
        settings.find(option).ifPresent(
                value -> all.put(key, option.isSecret() ? SECRET : option.type().format(value)));
    }
}
