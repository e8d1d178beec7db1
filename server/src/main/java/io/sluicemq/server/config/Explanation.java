package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tells in words what a key of the configuration is. Stateless. */
public final class Explanation {

    private static final int WIDTH = 100;
    private static final Place PLACE = Place.of("sluicemq config explain");

    private Explanation() {}

    /**
     * What is known of a key; of an empty one, what all of them are.
     *
     * @param key as in {@code limits.heartbeat}; of a section that has a name, or of a list's, any name or none
     * @throws ConfigException if there is no such key
     */
    public static String of(String key) throws ConfigException {
        Section section = ServerOptions.ROOT;
        Entry entry = section;
        Entry outermost = null;
        String path = "";
        String[] words = key.isEmpty() ? new String[0] : key.replaceAll("\\[[^]]*]", "").split("\\.");
        for (int i = 0; i < words.length; i++) {
            Optional<Entry> found = section.find(words[i]);
            if (found.isEmpty() && isName(entry) && i + 1 < words.length) {
                path += "." + words[i];
                continue;
            }
            if (found.isEmpty()) {
                List<String> full = new ArrayList<>();
                addEnding(ServerOptions.ROOT, "", key, full);
                throw new ConfigException(List.of(full.isEmpty()
                        ? Problem.unknownKey(PLACE, path, words[i], section.keys())
                        : Problem.of(PLACE, key, "no key is called '" + key + "' in full, but "
                                + String.join(" and ", full))));
            }
            entry = found.get();
            outermost = outermost == null ? entry : outermost;
            path += path.isEmpty() ? words[i] : "." + words[i];
            section = inside(entry);
        }
        return entry instanceof Option<?> option ? option(path, option, outermost) : section(path, entry, section);
    }

    /** Adds the keys in full whose last words are those; in a section that has a name, or a list's, without the name. */
    private static void addEnding(Section section, String path, String ending, List<String> found) {
        for (Entry each : section.entries()) {
            String full = path.isEmpty() ? each.key() : path + "." + each.key();
            if (full.endsWith("." + ending)) {
                found.add(full);
            }
            if (!(each instanceof Option<?>)) {
                addEnding(inside(each), full, ending, found);
            }
        }
    }

    private static boolean isName(Entry entry) {
        return entry instanceof NamedSections;
    }

    private static Section inside(Entry entry) {
        return switch (entry) {
            case Option<?> option -> new Section(option.key(), option.doc());
            case Section section -> section;
            case NamedSections named -> named.item();
            case SectionList list -> list.item();
        };
    }

    private static String option(String path, Option<?> option, Entry outermost) {
        StringBuilder text = new StringBuilder(path).append("\n\n");
        wrap(text, "  ", option.doc());
        text.append('\n');
        fact(text, "expected", option.expected());
        fact(text, "default", option.isRequired()
                ? "must be given"
                : option.defaultText() == null
                        ? "none"
                        : option.defaultText());
        fact(text, "changes",
                ServerOptions.AT_ONCE.contains(outermost) ? "at once, by sluicemq reload" : "after a restart");
        if (outermost instanceof SectionList) {
            fact(text, "variable", "of the whole list: SLUICEMQ__" + KeyPath.variable(outermost.key()));
        } else {
            fact(text, "variable", "SLUICEMQ__" + KeyPath.variable(path));
        }
        return text.toString();
    }

    private static String section(String path, Entry entry, Section section) {
        StringBuilder text = new StringBuilder(path.isEmpty() ? "all keys" : path).append("\n\n");
        wrap(text, "  ", entry.doc());
        if (entry instanceof NamedSections) {
            wrap(text, "  ", "Each section in it has a name that you choose, and these keys:");
        } else if (entry instanceof SectionList) {
            wrap(text, "  ", "A list, of which each element has these keys:");
        }
        text.append('\n');
        int width = section.keys().stream().mapToInt(String::length).max().orElse(0) + 2;
        for (Entry each : section.entries()) {
            String first = each.doc().split("(?<=[.:]) ", 2)[0];
            wrap(text, "  " + each.key() + " ".repeat(width - each.key().length()), first);
        }
        return text.toString();
    }

    private static void fact(StringBuilder text, String name, String value) {
        wrap(text, "  " + name + " ".repeat(10 - name.length()), value);
    }

    /** Adds words in lines; those after the first begin below the words of the first. */
    private static void wrap(StringBuilder text, String head, String words) {
        StringBuilder line = new StringBuilder(head);
        boolean empty = true;
        for (String word : words.split(" ")) {
            if (!empty && line.length() + 1 + word.length() > WIDTH) {
                text.append(line.toString().stripTrailing()).append('\n');
                line = new StringBuilder(" ".repeat(head.length()));
                empty = true;
            }
            line.append(empty ? "" : " ").append(word);
            empty = false;
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
