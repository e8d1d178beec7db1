package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.util.List;
import java.util.Map;

/**
 * Writes all that a configuration comes to, as YAML: each value with the place where it was written, those that were not with their
 * defaults. Secrets are left out. What was written without secrets is read again as the same configuration. Used by one thread.
 */
public final class EffectiveConfig {

    private static final int COMMENT_AT = 44;
    private static final Place DEFAULT = Place.of("default");

    private final StringBuilder text = new StringBuilder();

    private final Place options;

    private EffectiveConfig(Place options) {
        this.options = options;
    }

    /** @param options the place of what was said by options of the command line, which is called that */
    public static String of(Settings root, Place options) {
        EffectiveConfig effective = new EffectiveConfig(options);
        effective.entries("", root);
        return effective.text.toString();
    }

    private void entries(String indent, Settings settings) {
        for (Entry entry : settings.section().entries()) {
            switch (entry) {
                case Option<?> option -> option(indent, option, settings);
                case Section inner -> section(indent, inner, settings);
                case NamedSections named when named == ListenersSection.LISTENERS -> listeners(settings);
                case NamedSections named -> named(indent, named, settings.sections(named), null);
                case SectionList list -> list(indent, list, settings.list(list));
            }
        }
    }

    private <T> void option(String indent, Option<T> option, Settings settings) {
        settings.find(option).ifPresent(value -> {
            String written = option.isSecret() ? "\"(secret)\"" : OptionText.of(option, value);
            boolean given = settings.has(option);
            // What a choice leaves open may contradict what was chosen if it is said: delete-persistent with the policy notify.
            String mark = !given && decides(settings.section()) ? "#" : "";
            line(indent + mark + option.key() + ": " + written, given ? settings.place(option) : null);
        });
    }

    private void section(String indent, Section inner, Settings settings) {
        int before = text.length();
        line(indent + inner.key() + ":", null);
        int within = text.length();
        // One whose beginning is a choice, such as TLS, has no defaults that would hold without it.
        if (settings.has(inner) || !decides(inner) && (indent.isEmpty() || !choice(inner))) {
            entries(indent + "  ", settings.section(inner));
        }
        if (text.length() == within) {
            text.setLength(before);
        }
    }

    /** Whether a section does something by being there. */
    private static boolean choice(Section inner) {
        return inner.entries().stream().anyMatch(each -> each instanceof Section within && decides(within));
    }

    private static boolean decides(Section section) {
        return section != ServerOptions.ROOT
                && section.entries().stream().anyMatch(each -> each instanceof Option<?> o && o.isRequired());
    }

    /** If none is configured there is one all the same. */
    private void listeners(Settings root) {
        Map<String, Settings> configured = root.sections(ListenersSection.LISTENERS);
        if (configured.isEmpty()) {
            Settings absent = new Settings(ListenersSection.LISTENERS.item(), DEFAULT);
            named("", ListenersSection.LISTENERS, Map.of(ListenersSection.DEFAULT_LISTENER, absent), DEFAULT);
        } else {
            named("", ListenersSection.LISTENERS, configured, null);
        }
    }

    /** @param place of the whole; null not to say it */
    private void named(String indent, NamedSections named, Map<String, Settings> items, Place place) {
        if (items.isEmpty()) {
            return;
        }
        line(indent + named.key() + ":", place);
        items.forEach((name, item) -> {
            line(indent + "  " + OptionText.quoted(name) + ":", null);
            entries(indent + "    ", item);
        });
    }

    private void list(String indent, SectionList list, List<Settings> items) {
        if (items.isEmpty()) {
            return;
        }
        line(indent + list.key() + ":", null);
        for (Settings item : items) {
            int before = text.length();
            entries(indent + "    ", item);
            text.setCharAt(before + indent.length() + 2, '-');
        }
    }

    private void line(String line, Place place) {
        text.append(line);
        if (place != null) {
            text.append(" ".repeat(Math.max(1, COMMENT_AT - line.length()))).append("# ")
                    .append(place.equals(options) ? "command line" : place.toString());
        }
        text.append('\n');
    }
}
