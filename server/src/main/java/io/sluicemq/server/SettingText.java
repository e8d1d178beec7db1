package io.sluicemq.server;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.util.LinkedHashMap;
import java.util.Map;

/** Settings as text by their keys, such as {@code limits.heartbeat} and {@code 60s}: shown all together. Stateless. */
final class SettingText {

    private static final String SECRET = "***";

    private SettingText() {}

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
