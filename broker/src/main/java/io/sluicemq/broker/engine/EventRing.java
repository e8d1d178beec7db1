package io.sluicemq.broker.engine;

import io.sluicemq.api.operate.Event;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What has happened of late on one loop, for people: of each kind the latest {@value #MOST}, so that many of one kind do not push
 * others out. Owned by its loop.
 */
@LoopOwned
final class EventRing {

    /** How many of a kind are remembered. */
    static final int MOST = 200;

    private final Loop loop;
    private final Map<Event.Kind, ArrayDeque<Event>> events = new EnumMap<>(Event.Kind.class);

    EventRing(Loop loop) {
        this.loop = loop;
    }

    void add(Event.Kind kind, String virtualHost, String subject, String text) {
        loop.assertCurrent();
        ArrayDeque<Event> ofKind = events.computeIfAbsent(kind, each -> new ArrayDeque<>());
        if (ofKind.size() == MOST) {
            ofKind.removeFirst();
        }
        ofKind.addLast(new Event(loop.currentTimeMillis(), kind, virtualHost, subject, text));
    }

    List<Event> all() {
        loop.assertCurrent();
        List<Event> all = new ArrayList<>();
        events.values().forEach(all::addAll);
        return all;
    }
}
