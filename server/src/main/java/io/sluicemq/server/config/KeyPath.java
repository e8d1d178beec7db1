package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The way to one entry of a configuration, as it is written on a command line or in the name of an environment variable, and what is
 * to be set there. Used by one thread.
 *
 * <pre>
 * limits.heartbeat                               a key in a section
 * listeners.amqp.port, listeners[a.b].port       in a section that has a name
 * address-settings[orders.#].max-messages        in an element of a list, by what no two of them have alike
 * LIMITS__HEARTBEAT, LISTENERS__AMQP__PORT       likewise; a hyphen is an underscore
 * </pre>
 */
public final class KeyPath {

    private static final String LEVELS = "__";

    private final Place place;
    private final List<Step> steps;
    /** Whether it is the name of a variable, in which case and hyphens are lost. */
    private final boolean variable;

    private record Step(String word, boolean bracketed) {}

    /** What stands at the end of the way: an entry, and the settings of the section that it is in. */
    private record Target(Settings settings, Entry entry, String path) {}

    private KeyPath(Place place, List<Step> steps, boolean variable) {
        this.place = place;
        this.steps = steps;
        this.variable = variable;
    }

    /** @throws InvalidValue if it is not written as above */
    public static KeyPath of(String text, Place place) throws InvalidValue {
        List<Step> steps = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            boolean bracketed = text.charAt(at) == '[';
            int end = bracketed ? text.indexOf(']', at) : endOfWord(text, at);
            int from = bracketed ? at + 1 : at;
            if (end < 0 || end == from || bracketed && steps.isEmpty()) {
                throw new InvalidValue("a key such as limits.heartbeat or address-settings[orders.#].max-messages");
            }
            steps.add(new Step(text.substring(from, end), bracketed));
            at = bracketed ? end + 1 : end;
            if (at < text.length() && text.charAt(at) == '.') {
                at++;
                if (at == text.length()) {
                    throw new InvalidValue("a key that does not end with a dot");
                }
            } else if (at < text.length() && text.charAt(at) != '[') {
                throw new InvalidValue("a dot or a bracket after ]");
            }
        }
        if (steps.isEmpty()) {
            throw new InvalidValue("a key such as limits.heartbeat");
        }
        return new KeyPath(place, steps, false);
    }

    private static int endOfWord(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) != '.' && text.charAt(end) != '[') {
            end++;
        }
        return end;
    }

    /** @param name of a variable, without what all such names begin with */
    public static KeyPath ofVariable(String name, Place place) {
        List<Step> steps = new ArrayList<>();
        for (String word : name.split(LEVELS, -1)) {
            steps.add(new Step(word.toLowerCase(Locale.ROOT).replace('_', '-'), false));
        }
        return new KeyPath(place, steps, true);
    }

    /** How a variable for such a key is called, without what all such names begin with; null if there can't be one. */
    public static String variable(String key) {
        return key.contains("[")
                ? null
                : key.toUpperCase(Locale.ROOT).replace(".", LEVELS).replace('-', '_');
    }

    /**
     * Sets what the way leads to: an option by its text, a section or a list by YAML. What it stands instead of is forgotten.
     *
     * @param problems gets what is wrong with it
     */
    public void set(Settings root, String value, List<Problem> problems) {
        Target target = target(root, problems);
        if (target == null) {
            return;
        }
        if (target.entry instanceof Option<?> option) {
            set(target, option, value, problems);
        } else {
            YamlReader.readInto(value, place.source(), target.path, target.entry, target.settings, problems);
        }
    }

    /** Whether what it leads to holds a secret; false also if it leads nowhere. */
    public boolean isSecret() {
        Target target = target(new Settings(ServerOptions.ROOT, place), new ArrayList<>());
        return target != null && holdsSecret(target.entry);
    }

    private static boolean holdsSecret(Entry entry) {
        return switch (entry) {
            case Option<?> option -> option.isSecret();
            case Section section -> section.entries().stream().anyMatch(KeyPath::holdsSecret);
            case NamedSections named -> holdsSecret(named.item());
            case SectionList list -> holdsSecret(list.item());
        };
    }

    private <T> void set(Target target, Option<T> option, String value, List<Problem> problems) {
        try {
            target.settings.set(option, option.parse(value), place);
        } catch (InvalidValue e) {
            problems.add(Problem.invalidValue(place, target.path, option, value, e.expected()));
        }
    }

    /** Null, with a problem, if there is none. */
    private Target target(Settings root, List<Problem> problems) {
        Settings settings = root;
        String prefix = "";
        int at = 0;
        while (true) {
            Section section = settings.section();
            Step step = steps.get(at);
            Optional<Entry> found = section.find(step.word);
            if (step.bracketed || found.isEmpty()) {
                problems.add(Problem.unknownKey(place, prefix, step.word, section.keys()));
                return null;
            }
            Entry entry = found.get();
            String path = prefix.isEmpty() ? entry.key() : prefix + "." + entry.key();
            at++;
            if (at == steps.size()) {
                return new Target(settings, entry, path);
            }
            switch (entry) {
                case Option<?> option -> {
                    problems.add(Problem.of(place, path, path + " is a single value: there is nothing below it"));
                    return null;
                }
                case Section inner -> {
                    settings = settings.enter(inner, place);
                    prefix = path;
                }
                case NamedSections named -> {
                    String name = name(settings, named, steps.get(at++).word);
                    settings = named(settings, named, name, path, problems);
                    prefix = path + "." + name;
                }
                case SectionList list -> {
                    Step which = steps.get(at++);
                    settings = which.bracketed
                            ? element(settings, list, which.word, path, problems)
                            : refuse(path, list, problems);
                    prefix = path + "[" + which.word + "]";
                }
            }
            if (settings == null) {
                return null;
            }
            if (at == steps.size()) {
                problems.add(Problem.of(place, prefix, prefix + " is a section: expected one of its keys behind it, "
                        + String.join(", ", settings.section().keys())));
                return null;
            }
        }
    }

    private Settings refuse(String path, SectionList list, List<Problem> problems) {
        problems.add(Problem.of(place, path, variable
                ? path + " is a list: expected all of it in YAML, such as [{" + list.identity().key() + ": …}, …]"
                : path + " is a list: expected an element of it in brackets, " + path + "[" + list.identity().key()
                        + "].KEY"));
        return null;
    }

    /** A name as it is written elsewhere, if this one was a variable's. */
    private String name(Settings settings, NamedSections named, String word) {
        Predicate<String> same =
                name -> name.toLowerCase(Locale.ROOT).replace('_', '-').replace('.', '-').equals(word);
        return variable
                ? settings.sections(named).keySet().stream().filter(same).findFirst().orElse(word)
                : word;
    }

    private Settings named(
            Settings settings, NamedSections named, String name, String path, List<Problem> problems) {
        try {
            named.name().parse(name);
            return settings.enter(named, name, place);
        } catch (InvalidValue e) {
            problems.add(Problem.of(place, path, "'" + name + "' in " + path + ": expected " + e.expected()));
            return null;
        }
    }

    private Settings element(
            Settings settings, SectionList list, String identity, String path, List<Problem> problems) {
        for (Settings item : settings.list(list)) {
            if (item.find(list.identity()).equals(Optional.of(identity))) {
                return item;
            }
        }
        try {
            String checked = list.identity().parse(identity);
            return settings.add(list, place).set(list.identity(), checked, place);
        } catch (InvalidValue e) {
            problems.add(Problem.invalidValue(
                    place, path + "." + list.identity().key(), list.identity(), identity, e.expected()));
            return null;
        }
    }
}
