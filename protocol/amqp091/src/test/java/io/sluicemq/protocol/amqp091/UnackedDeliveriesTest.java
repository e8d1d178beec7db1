package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class UnackedDeliveriesTest {

    private final UnackedDeliveries unacked = new UnackedDeliveries();
    private final List<FakeDelivery> ignored = new ArrayList<>();

    private Delivery delivery() {
        return new FakeDelivery(FakeClient.message("x"), false, ignored);
    }

    /** Behaves as a sorted map, with gaps between tags, whatever is taken in what order. */
    @Property(tries = 500)
    void shouldBehaveAsASortedMap(@ForAll @Size(max = 400) List<@IntRange(min = 0, max = 99) Integer> steps) {
        UnackedDeliveries ring = new UnackedDeliveries();
        TreeMap<Long, Delivery> model = new TreeMap<>();
        long next = 1;
        for (int step : steps) {
            if (step < 55) {
                next += step % 5 == 0 ? step : 1;
                Delivery delivery = delivery();
                model.put(next, delivery);
                ring.add(next++, delivery, null);
            } else if (step < 90) {
                long tag = model.isEmpty()
                        ? step
                        : model.firstKey() + (model.lastKey() - model.firstKey()) * (step - 55) / 34;
                List<Delivery> taken = new ArrayList<>();
                boolean found = ring.take(tag, (t, d, c) -> taken.add(d));
                Delivery expected = model.remove(tag);
                assertThat(found).isEqualTo(expected != null);
                assertThat(taken).isEqualTo(expected == null ? List.of() : List.of(expected));
            } else {
                long tag = next - (99 - step) * 3L;
                List<Long> expected = new ArrayList<>(model.headMap(tag, true).keySet());
                List<Long> taken = new ArrayList<>();
                ring.takeUpTo(tag, (t, d, c) -> taken.add(t));
                assertThat(taken).isEqualTo(expected);
                model.headMap(tag, true).clear();
            }
            assertThat(ring.size()).isEqualTo(model.size());
        }
        for (long tag = 0; tag <= next; tag++) {
            assertThat(ring.contains(tag)).isEqualTo(model.containsKey(tag));
        }
        List<Delivery> all = new ArrayList<>();
        ring.takeUpTo(Long.MAX_VALUE, (t, d, c) -> all.add(d));
        assertThat(all).isEqualTo(new ArrayList<>(model.values()));
    }

    /** One that is never acknowledged does not keep the place of a million others. */
    @Test
    void shouldNotGrowByHoles() {
        unacked.add(1, delivery(), null);
        for (long tag = 2; tag < 1_000_000; tag++) {
            unacked.add(tag, delivery(), null);
            assertThat(unacked.take(tag, (t, d, c) -> {})).isTrue();
            if (tag % 3 == 0) {
                unacked.add(++tag, delivery(), null);
                unacked.add(++tag, delivery(), null);
                unacked.take(tag - 1, (t, d, c) -> {});
                unacked.take(tag, (t, d, c) -> {});
            }
        }
        assertThat(unacked.size()).isOne();
        assertThat(unacked.capacity()).isLessThanOrEqualTo(32);
    }

    /** A queue on the same loop answers a settlement with the next delivery, before the loop over the ring goes on. */
    @Test
    void shouldTakeNewEntriesWhileOthersAreTaken() {
        for (long tag = 1; tag <= 16; tag++) {
            unacked.add(tag, delivery(), null);
        }
        long[] next = {17};
        List<Long> taken = new ArrayList<>();
        unacked.takeUpTo(16, (t, d, c) -> {
            taken.add(t);
            unacked.add(next[0]++, delivery(), null);
            unacked.add(next[0]++, delivery(), null);
        });
        assertThat(taken).hasSize(16).isSorted();
        assertThat(unacked.size()).isEqualTo(32);
    }

    @Test
    void shouldPutBackInOrder() {
        for (long tag = 1; tag <= 10; tag++) {
            unacked.add(tag, delivery(), null);
        }
        UnackedDeliveries taken = new UnackedDeliveries();
        for (long tag : new long[] {2, 5, 10}) {
            unacked.take(tag, taken::add);
        }
        unacked.take(1, (t, d, c) -> {});
        unacked.putBack(taken);
        List<Long> order = new ArrayList<>();
        unacked.takeUpTo(Long.MAX_VALUE, (t, d, c) -> order.add(t));
        assertThat(order).containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    }
}
