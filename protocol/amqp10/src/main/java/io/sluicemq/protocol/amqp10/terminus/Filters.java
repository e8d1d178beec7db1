package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.MessageFilter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;

/**
 * A source's filter set, read (part 3, §3.5.8). What is not understood takes no part, and is missing in the set that the attach is
 * answered with.
 *
 * @param selector null for all messages
 * @param noLocal not the messages that this connection has published
 * @param bindingKey the key of a subscription to an exchange; null for all
 * @param wanted the filters that were understood, as they came, by the kind that they are
 */
record Filters(MessageFilter selector, boolean noLocal, String bindingKey,
        Map<Kind, Map.Entry<Symbol, Object>> wanted) {

    /** The kinds of filters, which a descriptor names: by number or by symbol, as registered by Apache Qpid. */
    enum Kind {
        DIRECT_BINDING(0, "legacy-amqp-direct-binding:string"),
        TOPIC_BINDING(1, "legacy-amqp-topic-binding:string"),
        NO_LOCAL(3, "no-local-filter:list"),
        SELECTOR(4, "selector-filter:string");

        private static final long DOMAIN = 0x0000468CL << 32;

        private final UnsignedLong code;
        private final Symbol symbol;

        Kind(int number, String symbol) {
            this.code = UnsignedLong.valueOf(DOMAIN | number);
            this.symbol = Symbol.valueOf("apache.org:" + symbol);
        }

        UnsignedLong code() {
            return code;
        }

        private static Kind of(Object descriptor) {
            for (Kind kind : values()) {
                if (kind.code.equals(descriptor) || kind.symbol.equals(descriptor)) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** @param filters may be null */
    static Filters read(Map<Symbol, Object> filters, Function<String, MessageFilter> selectors) throws Refused {
        Map<Kind, Map.Entry<Symbol, Object>> wanted = new LinkedHashMap<>();
        MessageFilter selector = null;
        String bindingKey = null;
        for (Map.Entry<Symbol, Object> each : filters == null
                ? Map.<Symbol, Object>of().entrySet()
                : filters.entrySet()) {
            Kind kind = each.getValue() instanceof DescribedType described ? Kind.of(described.getDescriptor()) : null;
            if (kind == null || wanted.containsKey(kind)) {
                continue;
            }
            Object value = ((DescribedType) each.getValue()).getDescribed();
            switch (kind) {
                case SELECTOR -> selector = selector(each.getKey(), text(each.getKey(), value), selectors);
                case DIRECT_BINDING, TOPIC_BINDING -> {
                    if (bindingKey != null) {
                        continue;
                    }
                    bindingKey = text(each.getKey(), value);
                }
                case NO_LOCAL -> {}
            }
            wanted.put(kind, Map.entry(each.getKey(), each.getValue()));
        }
        return new Filters(selector, wanted.containsKey(Kind.NO_LOCAL), bindingKey, wanted);
    }

    private static String text(Symbol key, Object value) throws Refused {
        if (value instanceof String text) {
            return text;
        }
        throw new Refused(TerminusError.invalid("filter '" + key + "' needs a string, got '" + value + "'"));
    }

    private static MessageFilter selector(Symbol key, String text, Function<String, MessageFilter> selectors)
            throws Refused {
        if (text.isBlank()) {
            return null;
        }
        try {
            return selectors.apply(text);
        } catch (IllegalArgumentException e) {
            throw new Refused(TerminusError.invalid("filter '" + key + "': " + e.getMessage()));
        }
    }

    /**
     * The set to answer with; null if it is empty.
     *
     * @param bindings whether the key of a binding is one of them
     */
    Map<Symbol, Object> honoured(boolean bindings) {
        Map<Symbol, Object> honoured = new LinkedHashMap<>();
        wanted.forEach((kind, filter) -> {
            boolean binding = kind == Kind.DIRECT_BINDING || kind == Kind.TOPIC_BINDING;
            if (!binding || bindings) {
                honoured.put(filter.getKey(), filter.getValue());
            }
        });
        return honoured.isEmpty() ? null : honoured;
    }
}
