package io.sluicemq.base.option;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The values given for one {@link Section}, each with the place it was written. Filled by one thread, then only read.
 *
 * <p>Invariant: a value for an option has passed that option's checks.
 */
public final class Settings {

    private final Section section;
    private final Place place;
    private final Map<Entry, Object> values = new IdentityHashMap<>();
    private final Map<Entry, Place> places = new IdentityHashMap<>();

    /** @param place where the section was written, or would have been */
    public Settings(Section section, Place place) {
        this.section = section;
        this.place = place;
    }

    public Section section() {
        return section;
    }

    public Place place() {
        return place;
    }

    /** Where an entry was written; the section's own place if it was not. */
    public Place place(Entry entry) {
        return places.getOrDefault(entry, place);
    }

    public boolean has(Entry entry) {
        return values.containsKey(entry);
    }

    /** Sets a value, in place of one that was set before. */
    public <T> Settings set(Option<T> option, T value, Place where) throws InvalidValue {
        put(option, option.check(value), where);
        return this;
    }

    /** The value that was set, or the option's default. */
    public <T> T get(Option<T> option) {
        return find(option)
                .orElseThrow(() -> new IllegalStateException(option.key() + " has neither value nor default"));
    }

    /** As {@link #get} for an option that may have no value at all. */
    @SuppressWarnings("unchecked") // set() alone stores values of options, and gives each the option's type
    public <T> Optional<T> find(Option<T> option) {
        requireOwn(option);
        Object value = values.get(option);
        return Optional.ofNullable(value != null ? (T) value : option.defaultValue());
    }

    /** The values of a section within; without any if it was not written. */
    public Settings section(Section inner) {
        requireOwn(inner);
        Object value = values.get(inner);
        return value != null ? (Settings) value : new Settings(inner, place);
    }

    /** The values of a section within, to set some; it counts as written from now on. */
    public Settings enter(Section inner, Place where) {
        if (!has(inner)) {
            put(inner, new Settings(inner, where), where);
        }
        return section(inner);
    }

    /** The sections that were given names, in the order written. */
    @SuppressWarnings("unchecked") // enter() alone stores a value under NamedSections
    public Map<String, Settings> sections(NamedSections inner) {
        requireOwn(inner);
        return (Map<String, Settings>) values.getOrDefault(inner, Map.of());
    }

    /** The values of the section of that name, to set some; new if there is none. */
    @SuppressWarnings("unchecked") // enter() alone stores a value under NamedSections
    public Settings enter(NamedSections inner, String name, Place where) {
        if (!has(inner)) {
            put(inner, new LinkedHashMap<String, Settings>(), where);
        }
        Map<String, Settings> named = (Map<String, Settings>) values.get(inner);
        return named.computeIfAbsent(name, key -> new Settings(inner.item(), where));
    }

    /** The sections of a list, in the order written. */
    @SuppressWarnings("unchecked") // add() alone stores a value under a SectionList
    public List<Settings> list(SectionList inner) {
        requireOwn(inner);
        return (List<Settings>) values.getOrDefault(inner, List.of());
    }

    /** Adds a section to a list. */
    @SuppressWarnings("unchecked") // add() alone stores a value under a SectionList
    public Settings add(SectionList inner, Place where) {
        if (!has(inner)) {
            put(inner, new ArrayList<Settings>(), where);
        }
        Settings added = new Settings(inner.item(), where);
        ((List<Settings>) values.get(inner)).add(added);
        return added;
    }

    /** Forgets what was written for an entry. */
    public void remove(Entry entry) {
        requireOwn(entry);
        values.remove(entry);
        places.remove(entry);
    }

    private void put(Entry entry, Object value, Place where) {
        requireOwn(entry);
        values.put(entry, value);
        places.put(entry, where);
    }

    private void requireOwn(Entry entry) {
        if (section.entries().stream().noneMatch(own -> own == entry)) {
            throw new IllegalArgumentException("section " + section.key() + " has no " + entry.key());
        }
    }
}
