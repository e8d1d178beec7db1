package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Finds what is different between two configurations. Stateless. */
public final class ConfigDifference {

    private ConfigDifference() {}

    /**
     * The keys whose values differ, in the order of {@link ServerOptions#ROOT}: {@code limits.heartbeat}; of lists and named
     * sections the key of the whole. A value that is written and equals the default is no difference.
     */
    public static List<String> keys(Settings one, Settings two) {
        List<String> keys = new ArrayList<>();
        collect("", one, two, keys);
        return keys;
    }

    private static void collect(String prefix, Settings one, Settings two, List<String> keys) {
        for (Entry entry : one.section().entries()) {
            String key = prefix + entry.key();
            if (entry instanceof Section section) {
                collect(key + ".", one.section(section), two.section(section), keys);
            } else if (differs(entry, one, two)) {
                keys.add(key);
            }
        }
    }

    private static boolean differs(Entry entry, Settings one, Settings two) {
        return switch (entry) {
            case Option<?> option -> !one.find(option).equals(two.find(option));
            case Section section -> differ(one.section(section), two.section(section));
            case NamedSections named -> {
                Map<String, Settings> left = one.sections(named);
                Map<String, Settings> right = two.sections(named);
                yield !left.keySet().equals(right.keySet())
                        || left.keySet().stream().anyMatch(name -> differ(left.get(name), right.get(name)));
            }
            case SectionList list -> {
                Iterator<Settings> right = two.list(list).iterator();
                yield one.list(list).size() != two.list(list).size()
                        || one.list(list).stream().anyMatch(left -> differ(left, right.next()));
            }
        };
    }

    private static boolean differ(Settings one, Settings two) {
        return one.section().entries().stream().anyMatch(entry -> differs(entry, one, two));
    }
}
