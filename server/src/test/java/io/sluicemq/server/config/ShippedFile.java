package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;

/**
 * Writes the configuration file that comes with the broker: every option with what it is for, commented out, so that it changes
 * nothing as it is. Used by one thread.
 */
final class ShippedFile {

    private static final int WIDTH = 110;

    private static final String HEAD = """
            # The configuration of SluiceMQ, for `sluicemq serve --config FILE`. `sluicemq config check --config FILE` tells what is wrong.
            #
            # What is commented out shows the default, or an example where there is none: take the # away to change it. Of a section
            # take those of its keys' parents away, too.
            # yaml-language-server: $schema=sluicemq.schema.json
            """;

    private final StringBuilder text = new StringBuilder(HEAD);

    private ShippedFile() {}

    static String of(Section root) {
        ShippedFile file = new ShippedFile();
        for (Entry entry : root.entries()) {
            file.text.append('\n');
            file.entry("", entry, false);
        }
        return file.text.toString();
    }

    /** @param inItem whether it is in a section that is out of effect as a whole, as an example */
    private void entry(String indent, Entry entry, boolean inItem) {
        doc(indent, entry.doc());
        switch (entry) {
            case Option<?> option -> line(indent, "#" + option.key() + ": " + OptionText.sample(option));
            case Section inner -> {
                line(indent, (inItem || isChoice(inner) ? "#" : "") + inner.key() + ":");
                inner.entries().forEach(each -> entry(indent + "  ", each, inItem || isChoice(inner)));
            }
            case NamedSections named -> {
                line(indent, named.key() + ":");
                line(indent + "  ",
                        "#" + (named == ListenersSection.LISTENERS ? ListenersSection.DEFAULT_LISTENER : "name") + ":");
                named.item().entries().forEach(each -> entry(indent + "    ", each, true));
            }
            case SectionList list -> {
                // One within an element of another is there only if that is.
                line(indent, (inItem ? "#" : "") + list.key() + ":");
                boolean first = true;
                for (Entry each : list.item().entries()) {
                    if (first) {
                        doc(indent + "  ", each.doc());
                        line(indent + "  ", "#- " + each.key() + ": " + OptionText.sample((Option<?>) each));
                    } else {
                        entry(indent + "    ", each, true);
                    }
                    first = false;
                }
            }
        }
    }

    /** Whether a section does something by being there. */
    private static boolean isChoice(Section section) {
        return section.entries().stream().anyMatch(each -> each instanceof Option<?> option && option.isRequired());
    }

    private void doc(String indent, String doc) {
        StringBuilder line = new StringBuilder();
        for (String word : doc.split(" ")) {
            if (!line.isEmpty() && indent.length() + 2 + line.length() + 1 + word.length() > WIDTH) {
                line(indent, "# " + line);
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        line(indent, "# " + line);
    }

    private void line(String indent, String line) {
        text.append(indent).append(line).append('\n');
    }
}
