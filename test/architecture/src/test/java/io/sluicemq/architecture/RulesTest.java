package io.sluicemq.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shows on samples made for it that each rule fails where it should, and passes where it should. */
class RulesTest {
    private static final String SAMPLES = "io.sluicemq.architecture.samples";

    @Test
    void shouldFindArrowsThatTheTableDoesNotHave() {
        ModuleTable table = ModuleTable.parse("""
                <!-- modules:begin -->
                | module | package | may import |
                | --- | --- | --- |
                | architecture/samples/arrows/lower | io.sluicemq.architecture.samples.arrows.lower | |
                | architecture/samples/arrows/upper | io.sluicemq.architecture.samples.arrows.upper | \
                architecture/samples/arrows/lower |
                <!-- modules:end -->""");

        assertThat(violations(Rules.arrowsOf(table), "arrows"))
                .anyMatch(line -> line.startsWith("architecture/samples/arrows/lower may not import " + SAMPLES))
                .anyMatch(line -> line.startsWith("architecture/samples/arrows/upper may not import org.assertj"));
    }

    @Test
    void shouldFindClassesOfNoModule() {
        ModuleTable table = new ModuleTable(List.of());
        assertThat(violations(Rules.arrowsOf(table), "good"))
                .anyMatch(line -> line.endsWith("in no module of the table"));
    }

    @Test
    void shouldAllowArrowsOfTheTable() {
        ModuleTable table = ModuleTable.parse("""
                <!-- modules:begin -->
                | module | package | may import |
                | --- | --- | --- |
                | architecture/samples/protocols/two | io.sluicemq.architecture.samples.protocols.two | |
                | architecture/samples/protocols/one | io.sluicemq.architecture.samples.protocols.one | \
                architecture/samples/protocols/two |
                <!-- modules:end -->""");
        assertThat(violations(Rules.arrowsOf(table), "protocols")).isEmpty();
    }

    @Test
    void shouldFindPackageCycles() {
        assertThat(violations(Rules.noPackageCyclesBelow(SAMPLES), "cycle")).isNotEmpty();
        assertThat(violations(Rules.noPackageCyclesBelow(SAMPLES), "protocols")).isEmpty();
    }

    @Test
    void shouldFindArrowsBetweenProtocols() {
        ArchRule rule = Rules.noArrowsBetweenPartsOf(SAMPLES + ".protocols");
        assertThat(violations(rule, "protocols")).isNotEmpty();
        assertThat(violations(rule, "good")).isEmpty();
    }

    @Test
    void shouldFindChannels() {
        assertThat(violations(Rules.channelsOnlyIn(SAMPLES + ".good"), "core"))
                .isNotEmpty()
                .allMatch(line -> line.contains("Channels"));
        assertThat(violations(Rules.channelsOnlyIn(SAMPLES + ".core"), "core")).isEmpty();
    }

    @Test
    void shouldFindSharing() {
        assertThat(violations(Rules.noSharingIn(SAMPLES + ".."), "core"))
                .anyMatch(line -> line.contains("ReentrantLock"))
                .anyMatch(line -> line.contains("AtomicLong"))
                .anyMatch(line -> line.contains("ConcurrentHashMap"))
                .noneMatch(line -> line.contains("CompletableFuture"));
        assertThat(violations(Rules.noSharingIn(SAMPLES + ".."), "good")).isEmpty();
    }

    @Test
    void shouldFindOrderedAccess() {
        assertThat(violations(Rules.noOrderedAccessIn(SAMPLES + ".."), "core"))
                .hasSize(2)
                .anyMatch(line -> line.contains("VarHandle.compareAndSet"))
                .anyMatch(line -> line.contains("VarHandle.fullFence"));
        assertThat(violations(Rules.noOrderedAccessIn(SAMPLES + ".."), "good")).isEmpty();
    }

    @Test
    void shouldFindVolatileFields() {
        assertThat(violations(Rules.noVolatileIn(SAMPLES + ".."), "core")).hasSize(1);
        assertThat(violations(Rules.noVolatileIn(SAMPLES + ".."), "good")).isEmpty();
    }

    @Test
    void shouldFindMonitors() {
        assertThat(violations(Rules.noMonitorsIn(SAMPLES + ".."), "core"))
                .hasSize(3)
                .anyMatch(line -> line.endsWith("Shares.method is synchronized"))
                .anyMatch(line -> line.endsWith("Shares.block is synchronized"))
                .anyMatch(line -> line.contains("Object.wait()"));
        assertThat(violations(Rules.noMonitorsIn(SAMPLES + ".."), "good")).isEmpty();
    }

    @Test
    void shouldFindTheSystemClockAndSleeping() {
        assertThat(violations(Rules.noClockAndSleepIn(SAMPLES + ".."), "core"))
                .hasSize(7)
                .anyMatch(line -> line.contains("CompletableFuture.join()"))
                .anyMatch(line -> line.contains("System.currentTimeMillis()"))
                .anyMatch(line -> line.contains("System.nanoTime()"))
                .anyMatch(line -> line.contains("Instant.now()"))
                .anyMatch(line -> line.contains("Clock.systemUTC()"))
                .anyMatch(line -> line.contains("java.util.Date.<init>()"))
                .anyMatch(line -> line.contains("Thread.sleep(long)"));
        assertThat(violations(Rules.noClockAndSleepIn(SAMPLES + ".."), "good")).isEmpty();
    }

    @Test
    void shouldFindNamesThatSayNothing() {
        assertThat(violations(Rules.noEmptyNamesIn(SAMPLES), "names")).hasSize(3);
        assertThat(violations(Rules.noEmptyNamesIn(SAMPLES), "good")).isEmpty();
    }

    @Test
    void shouldFindWaysAroundTheOneWayIn() {
        String store = SAMPLES + ".way.Store";
        assertThat(violations(Rules.onlyFrom(store, "add", SAMPLES + ".way.Entry"), "way"))
                .hasSize(4)
                .anyMatch(line -> line.contains("Around.call"))
                .anyMatch(line -> line.contains("Around.later"))
                .anyMatch(line -> line.contains("Around.reference"))
                .anyMatch(line -> line.contains("EntryFee.call"))
                .noneMatch(line -> line.contains("Entry$Part"));
        assertThat(violations(Rules.onlyFrom(
                store, "add", SAMPLES + ".way.Entry", SAMPLES + ".way.Around", SAMPLES + ".way.EntryFee"), "way"))
                .isEmpty();
    }

    @Test
    void shouldFindLinesOfTheLogWithoutAnId() {
        assertThat(violations(Rules.linesOnlyBy(SAMPLES + ".log.Happening"), "log"))
                .hasSize(4)
                .allMatch(line -> line.contains("Speaks."))
                .noneMatch(line -> line.contains("debug"));
        assertThat(violations(Rules.linesOnlyBy(SAMPLES + ".log.Speaks"), "log")).singleElement().asString()
                .contains("Happening.log");
    }

    @Test
    void shouldFindConstantsThatNobodyUses() {
        assertThat(violations(Rules.constantsInUse(SAMPLES + ".log.Happening"), "log"))
                .containsExactly("NOWHERE is used nowhere");
    }

    private static List<String> violations(ArchRule rule, String sample) {
        JavaClasses classes = new ClassFileImporter().importPackages(SAMPLES + "." + sample);
        assertThat(classes).isNotEmpty();
        return rule.allowEmptyShould(true).evaluate(classes).getFailureReport().getDetails();
    }
}
