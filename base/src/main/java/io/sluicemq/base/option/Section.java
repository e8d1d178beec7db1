package io.sluicemq.base.option;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A group of entries under one key. */
public record Section(String key, String doc, List<Entry> entries) implements Entry {

    public Section {
        entries = List.copyOf(entries);
        Set<String> keys = new HashSet<>();
        for (Entry entry : entries) {
            if (!keys.add(entry.key())) {
                throw new IllegalArgumentException("section " + key + " declares " + entry.key() + " twice");
            }
        }
    }

    public Section(String key, String doc, Entry... entries) {
        this(key, doc, List.of(entries));
    }

    /** The entry of that key. */
    public Optional<Entry> find(String key) {
        return entries.stream().filter(entry -> entry.key().equals(key)).findFirst();
    }

    public List<String> keys() {
        return entries.stream().map(Entry::key).toList();
    }
}
