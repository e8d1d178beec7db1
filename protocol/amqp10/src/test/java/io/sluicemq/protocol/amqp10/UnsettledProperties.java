package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Deliveries by serial numbers (1.0 §2.8.10), against a sorted map. */
class UnsettledProperties {

    private Unsettled<Integer> unsettled;
    private NavigableMap<Integer, Integer> model;

    private void add(int offset, int number) {
        unsettled.add(offset + number, number);
        model.put(number, number);
    }

    private void remove(int offset, int number) {
        assertThat(unsettled.remove(offset + number)).isEqualTo(model.remove(number));
    }

    /** What settles a delivery may have others sent at once, which get the room that it leaves. */
    @Property
    void shouldVisitEachOfARangeOnceThoughOthersComeMeanwhile(
            @ForAll int offset,
            @ForAll @Size(min = 1, max = 100) List<@IntRange(min = 0, max = 3) Integer> before,
            @ForAll @Size(max = 100) List<@IntRange(min = 0, max = 3) Integer> meanwhile,
            @ForAll @IntRange(min = 0, max = 100) int first,
            @ForAll @IntRange(min = 0, max = 150) int last,
            @ForAll boolean all) {
        unsettled = new Unsettled<>();
        model = new TreeMap<>();
        int[] next = new int[1];
        for (int kind : before) {
            add(offset, next[0]++);
            if (kind == 0) {
                remove(offset, next[0] - 1);
            }
        }
        List<Integer> expected = all || last < first
                ? new ArrayList<>(all ? model.values() : List.of())
                : new ArrayList<>(model.subMap(first, true, last, true).values());
        List<Integer> visited = new ArrayList<>();
        int[] step = new int[1];
        Consumer<Integer> visit = number -> {
            visited.add(number);
            int kind = step[0] < meanwhile.size() ? meanwhile.get(step[0]++) : 3;
            if (kind != 3) {
                remove(offset, number);
            }
            for (int i = 0; i < kind; i++) {
                add(offset, next[0]++);
            }
        };
        if (all) {
            unsettled.forEach(visit);
        } else {
            unsettled.forEach(offset + first, offset + last, visit);
        }
        assertThat(visited).isEqualTo(expected);
        assertThat(unsettled.size()).isEqualTo(model.size());
        model.forEach((number, value) -> assertThat(unsettled.get(offset + number)).isEqualTo(value));
    }
}
