package io.sluicemq.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rules of the code base. Each takes the package it holds for, so that {@link RulesTest} can show on samples that
 * it is able to fail.
 */
final class Rules {
    private static final List<String> ALWAYS_ALLOWED =
            List.of("java", "javax", "jdk", "com.sun.management", "org.slf4j");

    private static final List<String> HARMLESS = List.of(
            "java.util.concurrent.TimeUnit",
            "java.util.concurrent.CompletableFuture",
            "java.util.concurrent.CompletionStage");

    /** SLF4J's methods that write a line at INFO or above, or may. */
    private static final String LINES = "info|warn|error|log|at(Info|Warn|Error|Level)|makeLoggingEventBuilder";

    private Rules() {}

    /** Every class is in a module of the table and imports only what its row says. */
    static ArchRule arrowsOf(ModuleTable table) {
        return classes().should(new ArchCondition<>("import only what the table of modules allows") {
            @Override
            public void check(JavaClass from, ConditionEvents events) {
                var module = table.owner(from.getPackageName());
                if (module.isEmpty()) {
                    events.add(SimpleConditionEvent.violated(from, from.getName() + " is in no module of the table"));
                    return;
                }
                for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (!target.isPrimitive() && !isAlwaysAllowed(target.getPackageName())
                            && !table.allows(module.get(), target.getPackageName())) {
                        events.add(SimpleConditionEvent.violated(dependency,
                                module.get().folder() + " may not import " + target.getPackageName() + ": "
                                        + dependency.getDescription()));
                    }
                }
            }
        });
    }

    private static boolean isAlwaysAllowed(String packageName) {
        return ALWAYS_ALLOWED.stream().anyMatch(root -> Module.isWithin(packageName, root));
    }

    static ArchRule noPackageCyclesBelow(String root) {
        return slices().matching(root + ".(**)").should().beFreeOfCycles().allowEmptyShould(true);
    }

    static ArchRule noArrowsBetweenPartsOf(String root) {
        return slices().matching(root + ".(*)..").should().notDependOnEachOther().allowEmptyShould(true);
    }

    /** {@code io.netty.channel} is known to one package: sessions and queues see neither channels nor pipelines. */
    static ArchRule channelsOnlyIn(String packageName) {
        return noClasses().that().resideOutsideOfPackage(packageName + "..")
                .should().dependOnClassesThat().resideInAPackage("io.netty.channel..")
                .allowEmptyShould(true);
    }

    /**
     * Ownership by a loop leaves nothing to lock or share. Of {@code java.util.concurrent} only units of time are of use,
     * and a {@code CompletableFuture} as the answer to another thread.
     */
    static ArchRule noSharingIn(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().dependOnClassesThat(resideInAPackage("java.util.concurrent..").and(describe(
                        "are neither units of time nor futures",
                        type -> HARMLESS.stream().noneMatch(type.getName()::startsWith))))
                .allowEmptyShould(true);
    }

    /** Of a {@code VarHandle} only plain reads and writes, as of bytes that are taken for a long. */
    static ArchRule noOrderedAccessIn(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().callMethodWhere(
                        calls("java.lang.invoke.VarHandle",
                                "(?!(get|set|withInvokeExactBehavior|withInvokeBehavior)$).*"))
                .allowEmptyShould(true);
    }

    static ArchRule noVolatileIn(String... packages) {
        return noFields().that().areDeclaredInClassesThat().resideInAnyPackage(packages)
                .should().haveModifier(JavaModifier.VOLATILE)
                .allowEmptyShould(true);
    }

    /** Neither {@code synchronized} methods nor blocks, nor {@code wait} and {@code notify}. */
    static ArchRule noMonitorsIn(String... packages) {
        return classes().that().resideInAnyPackage(packages).should(new NoMonitors()).allowEmptyShould(true);
    }

    /** Time comes from the loop, so that a test or a simulation decides what it is; and nothing sleeps. */
    static ArchRule noClockAndSleepIn(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().callMethodWhere(calls("java.lang.System", "currentTimeMillis|nanoTime")
                        .or(calls("java.lang.Thread", "sleep|yield|join|onSpinWait"))
                        .or(calls("java.util.concurrent.CompletableFuture",
                                "get|join|orTimeout|completeOnTimeout|.*Async"))
                        .or(calls("java.time\\..*", "now"))
                        .or(calls("java.time.Clock", "system.*|tick.*"))
                        .as("the system clock is read or a thread waits"))
                .orShould().callConstructorWhere(DescribedPredicate.<JavaCall<?>>describe("the system clock is read",
                        call -> call.getTargetOwner().getName().equals("java.util.Date")
                                && call.getTarget().getRawParameterTypes().isEmpty()))
                .allowEmptyShould(true);
    }

    /**
     * A method is called, and referred to, by these classes and what is inside them only.
     *
     * @param callers full names of top-level classes
     */
    static ArchRule onlyFrom(String ownerName, String method, String... callers) {
        DescribedPredicate<JavaClass> others = describe("are none of " + List.of(callers), type -> Stream.of(callers)
                .noneMatch(caller -> type.getName().equals(caller) || type.getName().startsWith(caller + "$")));
        return noClasses().that(others)
                .should()
                .accessTargetWhere(describe(ownerName + "." + method + " is used",
                        access -> access.getTargetOwner().getName().equals(ownerName)
                                && access.getTarget().getName().equals(method)));
    }

    /**
     * Lines of the log at INFO and above are written by one class, which gives each its id.
     *
     * @param writer its full name
     */
    static ArchRule linesOnlyBy(String writer) {
        return noClasses().that(describe("are not " + writer, type -> !type.getName().equals(writer)))
                .should()
                .accessTargetWhere(describe("a line of the log has no id",
                        access -> access.getTargetOwner().isAssignableTo("org.slf4j.Logger")
                                && access.getTarget().getName().matches(LINES)))
                .allowEmptyShould(true);
    }

    /** Every constant of an enum is named somewhere outside it. */
    static ArchRule constantsInUse(String enumName) {
        return fields()
                .that(describe("are constants of " + enumName, field -> field.getOwner().getName().equals(enumName)
                        && field.getModifiers().contains(JavaModifier.ENUM)))
                .should(new ArchCondition<>("be used outside it") {
                    @Override
                    public void check(JavaField constant, ConditionEvents events) {
                        boolean used = constant.getAccessesToSelf().stream()
                                .anyMatch(access -> !access.getOriginOwner().equals(constant.getOwner()));
                        if (!used) {
                            events.add(
                                    SimpleConditionEvent.violated(constant, constant.getName() + " is used nowhere"));
                        }
                    }
                });
    }

    private static DescribedPredicate<JavaCall<?>> calls(String ownerPattern, String methodPattern) {
        return target(owner(nameMatching(ownerPattern))).and(target(nameMatching(methodPattern))).forSubtype();
    }

    /** Names that say nothing about what a class is for. */
    static ArchRule noEmptyNamesIn(String root) {
        return noClasses().that().resideInAPackage(root + "..")
                .should().haveNameMatching(".*[.$](Abstract\\w*|\\w*(Impl|Manager|Helper|Utils?))")
                .allowEmptyShould(true);
    }
}
