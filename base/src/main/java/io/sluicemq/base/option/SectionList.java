package io.sluicemq.base.option;

/**
 * A list of sections of one kind, told apart by one of their options.
 *
 * @param identity the option of {@code item} that no two of them may have alike
 */
public record SectionList(String key, String doc, Option<String> identity, Section item) implements Entry {

    public SectionList {
        if (!item.entries().contains(identity)) {
            throw new IllegalArgumentException("the items of " + key + " have no " + identity.key());
        }
    }
}
