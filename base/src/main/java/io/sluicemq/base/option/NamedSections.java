package io.sluicemq.base.option;

/**
 * Sections of one kind, each under a name that the user chooses.
 *
 * @param name what the user's names may be
 * @param item what each of them may hold; its key is a placeholder for the documentation, such as {@code NAME}
 */
public record NamedSections(String key, String doc, OptionType<String> name, Section item) implements Entry {}
