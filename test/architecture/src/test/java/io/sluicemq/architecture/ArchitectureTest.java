package io.sluicemq.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the product's classes against the rules, and the table of modules against the build. */
class ArchitectureTest {
    /** Core packages: one loop owns what is in them. */
    private static final String[] OWNED_BY_LOOPS = {"io.sluicemq.broker..", "io.sluicemq.protocol.."};

    private static final String LOG_EVENT = "io.sluicemq.base.LogEvent";

    private final ModuleTable table = Product.modules();

    @Test
    void shouldHaveARowForEveryModuleOfTheBuild() {
        List<String> built = Product.builtModules().stream().filter(name -> !name.startsWith("test/")).toList();
        assertThat(table.modules()).extracting(Module::folder).containsExactlyInAnyOrderElementsOf(built);
    }

    /** A module that this one doesn't depend on would pass every rule unseen. */
    @Test
    void shouldSeeTheClassesOfEveryModule() {
        for (Module module : table.modules()) {
            for (Path source : Product.sources(module.folder(), "src/main/java")) {
                String name = source.getFileName().toString().replace(".java", "");
                Path folder = Product.ROOT.resolve(module.folder()).resolve("src/main/java")
                        .relativize(source.getParent());
                if (!name.endsWith("-info")) {
                    assertThat(Product.CLASSES.contain(folder.toString().replace('/', '.') + "." + name))
                            .as("the class of %s is among those checked", source)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void shouldImportOnlyWhatTheTableAllows() {
        Rules.arrowsOf(table).allowEmptyShould(true).check(Product.CLASSES);
    }

    @Test
    void shouldHaveNoPackageCycles() {
        Rules.noPackageCyclesBelow("io.sluicemq").check(Product.CLASSES);
    }

    @Test
    void shouldKeepProtocolsApart() {
        Rules.noArrowsBetweenPartsOf("io.sluicemq.protocol").check(Product.CLASSES);
    }

    @Test
    void shouldKeepChannelsInTheTransport() {
        Rules.channelsOnlyIn("io.sluicemq.transport").check(Product.CLASSES);
    }

    @Test
    void shouldShareNothingInTheCore() {
        Rules.noSharingIn(OWNED_BY_LOOPS).check(Product.CLASSES);
        Rules.noOrderedAccessIn(OWNED_BY_LOOPS).check(Product.CLASSES);
        Rules.noVolatileIn(OWNED_BY_LOOPS).check(Product.CLASSES);
        Rules.noMonitorsIn(OWNED_BY_LOOPS).check(Product.CLASSES);
    }

    @Test
    void shouldTakeTheTimeFromTheLoopInTheCore() {
        Rules.noClockAndSleepIn(OWNED_BY_LOOPS).check(Product.CLASSES);
    }

    /** Whatever comes into a queue has passed the accounts that it counts in: there is no other way. */
    @Test
    void shouldHaveOneWayIntoQueues() {
        String engine = "io.sluicemq.broker.engine.";
        String queue = "io.sluicemq.broker.queue.Queue";
        assertThat(methodsOf(queue)).contains("enqueue", "enqueuePromised");
        assertThat(methodsOf(engine + "QueueProxy")).contains("enqueue");
        Rules.onlyFrom(queue, "enqueue", engine + "QueueProxy").check(Product.CLASSES);
        Rules.onlyFrom(queue, "enqueuePromised", engine + "TransactionWork").check(Product.CLASSES);
        Rules.onlyFrom(engine + "QueueProxy", "enqueue", engine + "Publishes", engine + "DeadLetters")
                .check(Product.CLASSES);
        // These do it when room is reserved: in an arrival's admitted(), or at once for what has its room.
        Rules.onlyFrom(engine + "Arrival", "admitted", engine + "Entrance").check(Product.CLASSES);
    }

    /** So that whoever reads or watches the log can go by ids, and finds each in docs/log-events.md. */
    @Test
    void shouldGiveEveryLineOfTheLogAnId() {
        Rules.linesOnlyBy(LOG_EVENT).check(Product.CLASSES);
        assertThat(methodsOf(LOG_EVENT)).contains("log");
    }

    @Test
    void shouldHaveNoLogEventThatNeverAppears() {
        Rules.constantsInUse(LOG_EVENT).check(Product.CLASSES);
    }

    /** A method that has another name by now would pass the rule unseen. */
    private static List<String> methodsOf(String type) {
        return Product.CLASSES.get(type).getMethods().stream().map(method -> method.getName()).toList();
    }

    @Test
    void shouldNameClassesForWhatTheyDo() {
        Rules.noEmptyNamesIn("io.sluicemq").check(Product.CLASSES);
    }
}
