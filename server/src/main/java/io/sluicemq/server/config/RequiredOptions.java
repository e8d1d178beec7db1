package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.util.List;
import java.util.Set;

/** Finds what must be given and was not. Stateless. */
public final class RequiredOptions {

    private RequiredOptions() {}

    /** All that is missing, in the sections that are there. */
    public static void check(Settings settings, List<Problem> problems) {
        check("", settings, problems);
    }

    private static void check(String prefix, Settings settings, List<Problem> problems) {
        checkOne(prefix, settings, Set.of(), problems);
        for (Entry entry : settings.section().entries()) {
            String path = prefix.isEmpty() ? entry.key() : prefix + "." + entry.key();
            switch (entry) {
                case Option<?> option -> {}
                case Section inner -> {
                    if (settings.has(inner)) {
                        check(path, settings.section(inner), problems);
                    }
                }
                case NamedSections named -> settings.sections(named)
                        .forEach((name, item) -> check(path + "." + name, item, problems));
                case SectionList list -> {
                    int index = 0;
                    for (Settings item : settings.list(list)) {
                        check(path + "[" + index++ + "]", item, problems);
                    }
                }
            }
        }
    }

    /**
     * What is missing in one section, without those in it.
     *
     * @param written keys that are there, if with a value that is not valid
     */
    static void checkOne(String prefix, Settings settings, Set<String> written, List<Problem> problems) {
        for (Entry entry : settings.section().entries()) {
            if (entry instanceof Option<?> option && option.isRequired() && !settings.has(option)
                    && !written.contains(option.key())) {
                String name = prefix.isEmpty() ? "the file" : prefix;
                String key = prefix.isEmpty() ? option.key() : prefix + "." + option.key();
                problems.add(Problem.of(
                        settings.place(), key, name + " has no '" + option.key() + "': expected " + option.expected()));
            }
        }
    }
}
