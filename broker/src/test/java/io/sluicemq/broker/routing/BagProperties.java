package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class BagProperties {

    /** Numbers whose lower half takes an item out that the same number in the upper half puts in. */
    private static final int ITEMS = 4 * Bag.CHUNK;

    @Property(tries = 300)
    void shouldHoldWhatWasPutInAndNotTakenOut(
            @ForAll @Size(max = 1_500) List<@IntRange(max = 3 * ITEMS - 1) Integer> changes) {
        Bag<Integer> bag = Bag.empty();
        Map<Integer, Integer> counts = new HashMap<>();
        for (int change : changes) {
            int item = change % ITEMS;
            if (change < ITEMS) {
                bag = bag.without(item);
                counts.computeIfPresent(item, (same, count) -> count == 1 ? null : count - 1);
            } else {
                bag = bag.with(item);
                counts.merge(item, 1, Integer::sum);
            }
            assertThat(bag.size()).isEqualTo(counts.size());
            assertThat(bag.isEmpty()).isEqualTo(counts.isEmpty());
        }
        assertThat(items(bag)).containsExactlyInAnyOrderElementsOf(counts.keySet());
        // The counts show when all is taken out again.
        for (Map.Entry<Integer, Integer> entry : counts.entrySet()) {
            for (int i = entry.getValue(); i > 0; i--) {
                assertThat(items(bag)).contains(entry.getKey());
                bag = bag.without(entry.getKey());
            }
            assertThat(items(bag)).doesNotContain(entry.getKey());
        }
        assertThat(bag.isEmpty()).isTrue();
    }

    @Property(tries = 20)
    void shouldGrowAndShrinkThroughEverySize(@ForAll @IntRange(max = 3 * Bag.CHUNK) int most) {
        Bag<Integer> bag = Bag.empty();
        List<Bag<Integer>> earlier = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            earlier.add(bag);
            bag = bag.with(i);
        }
        for (int i = most - 1; i >= 0; i--) {
            assertThat(items(bag)).hasSize(i + 1).doesNotHaveDuplicates().contains(i, 0);
            bag = bag.without(i);
            assertThat(items(bag)).hasSameElementsAs(items(earlier.get(i)));
        }
    }

    private static List<Integer> items(Bag<Integer> bag) {
        List<Integer> items = new ArrayList<>();
        for (int i = 0; i < bag.chunkCount(); i++) {
            for (Object item : bag.chunk(i)) {
                items.add((Integer) item);
            }
        }
        return items;
    }
}
