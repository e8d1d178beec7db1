package io.sluicemq.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bounded number of seeds in each build; bin/simulate runs as many as one likes. */
class SimulationTest {

    private static final long STEPS = 2000;

    @ParameterizedTest
    @ValueSource(longs = {1, 101, 201, 301})
    void shouldKeepWhatItHasPromisedWhateverTheSchedule(long first) {
        for (long seed = first; seed < first + 40; seed++) {
            run(seed, false);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1001, 1101, 1201, 1301})
    void shouldKeepToLimitsAndForgetNobodyWhoWaits(long first) {
        Statistics statistics = new Statistics();
        for (long seed = first; seed < first + 25; seed++) {
            statistics.add(run(seed, true));
        }
        assertThat(statistics.changesOfLimits()).isGreaterThan(25);
        assertThat(statistics.waitedPublishes()).isGreaterThan(500);
        assertThat(statistics.refusedPublishes()).isGreaterThan(100);
        assertThat(statistics.droppedMessages()).isGreaterThan(100);
        assertThat(statistics.looksAtCredit()).isGreaterThan(100);
        assertThat(statistics.looksAtLinksWithoutCredit()).isGreaterThan(20);
        assertThat(statistics.consumersCut()).isGreaterThan(25);
        assertThat(statistics.looksAtQueuesHeldForAConsumer()).isGreaterThan(100);
    }

    /** Consumers have limits and are drained, and some messages are delayed. */
    @ParameterizedTest
    @ValueSource(longs = {2001, 2101, 2201})
    void shouldKeepToTheCreditOfConsumersAndToDelays(long first) {
        for (long seed = first; seed < first + 25; seed++) {
            run(seed, seed % 2 == 0, true, false);
        }
    }

    /** Messages have groups, and some consumers want only some, refuse some or only look. */
    @ParameterizedTest
    @ValueSource(longs = {3001, 3101, 3201})
    void shouldGiveToEachWhatIsForIt(long first) {
        for (long seed = first; seed < first + 25; seed++) {
            run(seed, seed % 2 == 0, seed % 3 == 0, true);
        }
    }

    /**
     * Seeds that have found something: a checkpoint in the middle of a publish (258, 21767), or without what compaction had just
     * moved (21437) or what was about to become a dead letter (350, 574, 2214), a transaction's message recovered twice (27), a
     * settlement answered before the deletion of its queue was durable (189), and housekeeping that never paused on a full disk
     * (328, 1043). They mean what they did for as long as the simulation chooses as it did.
     */
    @ParameterizedTest
    @ValueSource(longs = {258, 21767, 21437, 350, 574, 2214, 27, 189, 328, 1043})
    void shouldPassWhereItOnceFailed(long seed) {
        run(seed, false);
    }

    private static Statistics run(long seed, boolean limited) {
        return run(seed, limited, false, false);
    }

    private static Statistics run(long seed, boolean limited, boolean credit, boolean filters) {
        Simulation simulation = new Simulation(seed, limited, credit, filters);
        try {
            simulation.run(STEPS);
            return simulation.statistics;
        } catch (RuntimeException | Error e) {
            return fail(Report.of(simulation, STEPS, e), e);
        }
    }
}
