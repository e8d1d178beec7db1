package io.sluicemq.broker.routing;

import io.vavr.collection.HashMap;
import java.util.Map;

/**
 * The bindings of a headers exchange, found from the headers of a message and not by asking each binding: one that wants any of
 * its criteria met is filed under each of them, one that wants all under the one of them that fewest others are filed under.
 */
final class HeadersIndex<Q> implements BindingIndex<Q> {

    private static final HeadersIndex<?> EMPTY = new HeadersIndex<>(Targets.none(), HashMap.empty());

    /** Of bindings that match every message. */
    private final Targets<Q> always;

    /** The others, by the name of a header. */
    private final HashMap<String, Shelf<Q>> shelves;

    /** A binding with what it asks for and where it leads. */
    private record Entry<Q>(HeaderCriteria criteria, Binding binding, Q queue) {}

    /** Bindings that are candidates if one header is there, and if it has a certain value (comparable). */
    private record Shelf<Q>(
            HashMap<Binding, Entry<Q>> present, HashMap<Object, HashMap<Binding, Entry<Q>>> byValue) {

        static <Q> Shelf<Q> empty() {
            return new Shelf<>(HashMap.empty(), HashMap.empty());
        }

        /** The bindings under a value, or under mere presence if it is null. */
        HashMap<Binding, Entry<Q>> filed(Object value) {
            return value == null ? present : byValue.getOrElse(value, HashMap.empty());
        }

        Shelf<Q> refiled(Object value, HashMap<Binding, Entry<Q>> entries) {
            if (value == null) {
                return new Shelf<>(entries, byValue);
            }
            return new Shelf<>(present, entries.isEmpty() ? byValue.remove(value) : byValue.put(value, entries));
        }

        boolean isEmpty() {
            return present.isEmpty() && byValue.isEmpty();
        }
    }

    private HeadersIndex(Targets<Q> always, HashMap<String, Shelf<Q>> shelves) {
        this.always = always;
        this.shelves = shelves;
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <Q> HeadersIndex<Q> empty() {
        return (HeadersIndex<Q>) EMPTY;
    }

    @Override
    public HeadersIndex<Q> with(Binding binding, Q queue) {
        HeaderCriteria criteria = HeaderCriteria.of(binding.arguments());
        if (criteria.size() == 0) {
            return criteria.all() ? new HeadersIndex<>(always.with(binding, queue), shelves) : this;
        }
        Entry<Q> entry = new Entry<>(criteria, binding, queue);
        HashMap<String, Shelf<Q>> changed = shelves;
        if (criteria.all()) {
            changed = filedAt(changed, criteria, leastFiled(criteria), entry);
        } else {
            for (int i = 0; i < criteria.size(); i++) {
                changed = filedAt(changed, criteria, i, entry);
            }
        }
        return new HeadersIndex<>(always, changed);
    }

    @Override
    public HeadersIndex<Q> without(Binding binding, Q queue) {
        HeaderCriteria criteria = HeaderCriteria.of(binding.arguments());
        if (criteria.size() == 0) {
            return criteria.all() ? new HeadersIndex<>(always.without(binding, queue), shelves) : this;
        }
        HashMap<String, Shelf<Q>> changed = shelves;
        for (int i = 0; i < criteria.size(); i++) {
            changed = removedAt(changed, criteria, i, binding);
        }
        return new HeadersIndex<>(always, changed);
    }

    private int leastFiled(HeaderCriteria criteria) {
        int least = 0;
        int leastSize = Integer.MAX_VALUE;
        for (int i = 0; i < criteria.size(); i++) {
            int size = shelf(shelves, criteria.name(i)).filed(criteria.value(i)).size();
            if (size < leastSize) {
                least = i;
                leastSize = size;
            }
        }
        return least;
    }

    private static <Q> Shelf<Q> shelf(HashMap<String, Shelf<Q>> shelves, String name) {
        return shelves.getOrElse(name, Shelf.empty());
    }

    private static <Q> HashMap<String, Shelf<Q>> filedAt(
            HashMap<String, Shelf<Q>> shelves, HeaderCriteria criteria, int index, Entry<Q> entry) {
        Shelf<Q> shelf = shelf(shelves, criteria.name(index));
        Object value = criteria.value(index);
        return shelves.put(
                criteria.name(index), shelf.refiled(value, shelf.filed(value).put(entry.binding, entry)));
    }

    private static <Q> HashMap<String, Shelf<Q>> removedAt(
            HashMap<String, Shelf<Q>> shelves, HeaderCriteria criteria, int index, Binding binding) {
        Shelf<Q> shelf = shelf(shelves, criteria.name(index));
        Object value = criteria.value(index);
        Shelf<Q> rest = shelf.refiled(value, shelf.filed(value).remove(binding));
        return rest.isEmpty() ? shelves.remove(criteria.name(index)) : shelves.put(criteria.name(index), rest);
    }

    @Override
    public boolean match(String routingKey, HeaderSource source, RouteSet<Q> out) {
        boolean matched = !always.isEmpty();
        out.addAll(always);
        if (shelves.isEmpty()) {
            return matched;
        }
        Map<String, Object> headers = source.headers();
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            Shelf<Q> shelf = shelves.getOrElse(header.getKey(), null);
            if (shelf != null) {
                matched |= matchFiled(shelf.present, headers, out);
                Object value = Arguments.comparable(header.getValue());
                if (value != null) {
                    matched |= matchFiled(shelf.filed(value), headers, out);
                }
            }
        }
        return matched;
    }

    private static <Q> boolean matchFiled(
            HashMap<Binding, Entry<Q>> entries, Map<String, Object> headers, RouteSet<Q> out) {
        boolean matched = false;
        for (Entry<Q> entry : entries.values()) {
            if (!entry.criteria.all() || entry.criteria.allMetBy(headers)) {
                matched = true;
                switch (entry.binding.kind()) {
                    case QUEUE -> out.add(entry.queue);
                    case EXCHANGE -> out.reach(entry.binding.destination());
                }
            }
        }
        return matched;
    }
}
