package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class DistinctListProperties {

    private static final List<TestQueue> ITEMS = IntStream.range(0, 500).mapToObj(i -> new TestQueue("q" + i)).toList();

    @Property(tries = 300)
    void shouldTakeEachObjectOnceOverManyUses(
            @ForAll @Size(max = 6) List<@Size(max = 400) List<@IntRange(max = 499) Integer>> uses,
            @ForAll @IntRange(max = 100) int batch) {
        DistinctList<TestQueue> list = new DistinctList<>();
        for (List<Integer> use : uses) {
            Set<TestQueue> expected = new LinkedHashSet<>();
            for (int index : use) {
                TestQueue item = ITEMS.get(index);
                assertThat(list.add(item)).isEqualTo(expected.add(item));
            }
            list.addAll(ITEMS.subList(0, batch).toArray());
            expected.addAll(ITEMS.subList(0, batch));
            assertThat(contents(list)).containsExactlyElementsOf(expected);
            list.clear();
            assertThat(list.size()).isZero();
            list.addAll(ITEMS.subList(0, batch).toArray());
            list.add(ITEMS.getFirst());
            list.add(ITEMS.getLast());
            assertThat(list.size()).isEqualTo(batch == 0 ? 2 : batch + 1);
            list.clear();
        }
    }

    private static List<TestQueue> contents(DistinctList<TestQueue> list) {
        List<TestQueue> contents = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            contents.add(list.get(i));
        }
        return contents;
    }
}
