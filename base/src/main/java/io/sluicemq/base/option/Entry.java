package io.sluicemq.base.option;

/** What may stand in a {@link Section}: an option, or more sections. */
public sealed interface Entry permits Option, Section, NamedSections, SectionList {

    /** The key it is written under: lower case, words joined by hyphens. */
    String key();

    /** What it is for, in sentences, for the reference documentation. */
    String doc();
}
