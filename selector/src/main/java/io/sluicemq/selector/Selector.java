package io.sluicemq.selector;

import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;

/** A selector that was understood. Two are equal if their texts are. */
record Selector(String text, Expression condition) implements MessageFilter {

    @Override
    public boolean matches(Message message) {
        return Boolean.TRUE.equals(condition.value(message));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Selector that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
