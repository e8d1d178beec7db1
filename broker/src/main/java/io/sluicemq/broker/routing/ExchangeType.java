package io.sluicemq.broker.routing;

/** How an exchange decides which bindings a message matches. */
public enum ExchangeType {
    /** The routing key equals the binding's. */
    DIRECT("direct") {
        @Override
        <Q> BindingIndex<Q> emptyIndex() {
            return DirectIndex.empty();
        }
    },
    /** Every binding. */
    FANOUT("fanout") {
        @Override
        <Q> BindingIndex<Q> emptyIndex() {
            return FanoutIndex.empty();
        }
    },
    /** The words of the routing key fit the binding's pattern. */
    TOPIC("topic") {
        @Override
        <Q> BindingIndex<Q> emptyIndex() {
            return TopicIndex.empty();
        }
    },
    /** The message's headers fit the binding's arguments. */
    HEADERS("headers") {
        @Override
        <Q> BindingIndex<Q> emptyIndex() {
            return HeadersIndex.empty();
        }

        @Override
        Refusal refusalOf(Arguments bindingArguments) {
            return HeaderCriteria.refusalOf(bindingArguments);
        }
    };

    private final String label;

    ExchangeType(String label) {
        this.label = label;
    }

    /** The type's name in the protocols. */
    public String label() {
        return label;
    }

    /** The type that a protocol names so, or null if there is none. */
    public static ExchangeType labelled(String label) {
        for (ExchangeType type : values()) {
            if (type.label.equals(label)) {
                return type;
            }
        }
        return null;
    }

    abstract <Q> BindingIndex<Q> emptyIndex();

    /** Why a binding can't have these arguments, or null if it can. */
    Refusal refusalOf(Arguments bindingArguments) {
        return null;
    }
}
