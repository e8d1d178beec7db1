package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;

/** Writes the reference of a section's options in Markdown: a table for each section, the outermost first. */
final class OptionReference {

    private final StringBuilder text = new StringBuilder();

    private OptionReference() {}

    static String of(Section root) {
        OptionReference reference = new OptionReference();
        reference.section("The outermost keys", "", root);
        return reference.text.toString();
    }

    private void section(String title, String prefix, Section section) {
        text.append("\n### ").append(title).append("\n\n");
        text.append("| key | value | default | what it is |\n| --- | --- | --- | --- |\n");
        for (Entry entry : section.entries()) {
            switch (entry) {
                case Option<?> option -> row(option.key(), option.expected(), defaultOf(option), option.doc());
                case Section inner -> row(inner.key(), "the keys of " + quoted(inner.key()), "", inner.doc());
                case NamedSections named -> row(named.key(), "a section for each name", "", named.doc());
                case SectionList list -> row(list.key(), "a list of sections", "", list.doc());
            }
        }
        for (Entry entry : section.entries()) {
            String path = prefix + entry.key();
            switch (entry) {
                case Option<?> option -> {}
                case Section inner -> section(quoted(path), path + ".", inner);
                case NamedSections named -> {
                    String itemPath = path + "." + named.item().key();
                    section(quoted(itemPath), itemPath + ".", named.item());
                }
                case SectionList list -> section(quoted(path + "[]"), path + "[].", list.item());
            }
        }
    }

    private void row(String key, String value, String defaultValue, String doc) {
        text.append("| ")
                .append(String.join(" | ", quoted(key), value, defaultValue, doc))
                .append(" |\n");
    }

    private static String defaultOf(Option<?> option) {
        if (option.isRequired()) {
            return "must be given";
        }
        String text = option.defaultText();
        if (text == null) {
            return "none";
        }
        try {
            option.parse(text);
            return quoted(text);
        } catch (InvalidValue e) {
            return text; // a default that depends on the machine, in words
        }
    }

    private static String quoted(String word) {
        return "`" + word + "`";
    }
}
