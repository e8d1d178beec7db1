package io.sluicemq.management.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Which of many are shown by themselves, and what becomes of the others' counters. */
class ShownTest {

    private record Thing(String name, long depth, long rate) {}

    private static final Comparator<Thing> TIES = Comparator.comparing(Thing::name);

    private static Shown<Thing> of(int most, Thing... things) {
        return Shown.of(List.of(things), most, TIES, List.of(Thing::depth, Thing::rate));
    }

    private static List<String> names(List<Thing> things) {
        return things.stream().map(Thing::name).toList();
    }

    @Test
    void shouldTakeTheFirstOfEachOrderByTurns() {
        Shown<Thing> shown = of(
                3, new Thing("idle", 0, 0), new Thing("deep", 100, 0), new Thing("deeper", 200, 1),
                new Thing("fast", 0, 50), new Thing("faster", 1, 60));

        assertThat(names(shown.named())).containsExactly("deeper", "faster", "deep");
        assertThat(names(shown.others())).containsExactly("idle", "fast");
    }

    @Test
    void shouldFillUpWithTheFirstByName() {
        Shown<Thing> shown =
                of(3, new Thing("d", 0, 0), new Thing("b", 0, 0), new Thing("c", 5, 0), new Thing("a", 0, 0));

        assertThat(names(shown.named())).containsExactly("c", "a", "b");
    }

    @Property(tries = 200)
    void shouldShowAsManyAsAreWantedAndEachOnce(
            @ForAll @Size(max = 30) List<@IntRange(max = 5) Integer> depths, @ForAll @IntRange(max = 20) int most) {
        Thing[] things = new Thing[depths.size()];
        for (int i = 0; i < things.length; i++) {
            things[i] = new Thing("t" + i, depths.get(i), depths.get(things.length - 1 - i));
        }
        Shown<Thing> shown = of(most, things);

        assertThat(shown.named()).hasSize(Math.min(most, things.length)).doesNotHaveDuplicates();
        assertThat(shown.others()).noneMatch(shown.named()::contains);
        assertThat(shown.named().size() + shown.others().size()).isEqualTo(things.length);
    }

    // ---- what the others have counted

    private static long look(Remainder<Thing> remainder, List<Thing> named, List<Thing> others) {
        return remainder.look(new Shown<>(named, others))[0];
    }

    @Test
    void shouldNeverTakeBackWhatTheOthersHaveCounted() {
        Remainder<Thing> remainder = new Remainder<>(1, Thing::name, thing -> new long[] {thing.rate()});

        assertThat(look(remainder, List.of(), List.of(new Thing("a", 0, 10), new Thing("b", 0, 20)))).isEqualTo(30);
        // One of them is shown: what it has counted until now stays.
        assertThat(look(remainder, List.of(new Thing("b", 0, 25)), List.of(new Thing("a", 0, 11)))).isEqualTo(31);
        // It is not any more: only what it has counted since is added.
        assertThat(look(remainder, List.of(), List.of(new Thing("a", 0, 11), new Thing("b", 0, 27)))).isEqualTo(33);
        // One has gone, and another of its name has come.
        assertThat(look(remainder, List.of(), List.of(new Thing("a", 0, 4), new Thing("b", 0, 27)))).isEqualTo(37);
        assertThat(look(remainder, List.of(), List.of(new Thing("b", 0, 27)))).isEqualTo(37);
    }
}
