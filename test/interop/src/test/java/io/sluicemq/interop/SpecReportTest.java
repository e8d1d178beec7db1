package io.sluicemq.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.Spec;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Writes {@code target/spec-coverage.md}: which tests cover which method of AMQP 0-9-1, which section of its specification
 * and of that of AMQP 1.0, and which extension; and fails if a method of AMQP 0-9-1, or a section that says how peers of AMQP 1.0
 * behave, is covered by none. For AMQP 1.0 the tests of its protocol's module and those with hostile peers count as well.
 */
class SpecReportTest {

    private static final Path REPORT = Path.of("target", "spec-coverage.md");

    private static final Pattern SECTION = Pattern.compile("(0-9-1|1\\.0) §\\d+(\\.\\d+)*( .*)?");

    /** All methods of AMQP 0-9-1, exchange.bound, which Qpid has added, included. */
    private static final List<String> METHODS = List.of("connection.start", "connection.start-ok", "connection.secure",
            "connection.secure-ok", "connection.tune", "connection.tune-ok", "connection.open", "connection.open-ok",
            "connection.close", "connection.close-ok", "channel.open", "channel.open-ok", "channel.flow",
            "channel.flow-ok", "channel.close", "channel.close-ok", "exchange.declare", "exchange.declare-ok",
            "exchange.delete", "exchange.delete-ok", "exchange.bound", "exchange.bound-ok", "queue.declare",
            "queue.declare-ok", "queue.bind", "queue.bind-ok", "queue.unbind", "queue.unbind-ok", "queue.purge",
            "queue.purge-ok", "queue.delete", "queue.delete-ok", "basic.qos", "basic.qos-ok", "basic.consume",
            "basic.consume-ok", "basic.cancel", "basic.cancel-ok", "basic.publish", "basic.return", "basic.deliver",
            "basic.get", "basic.get-ok", "basic.get-empty", "basic.ack", "basic.reject", "basic.recover",
            "basic.recover-sync", "basic.recover-sync-ok", "tx.select", "tx.select-ok", "tx.commit", "tx.commit-ok",
            "tx.rollback", "tx.rollback-ok");

    /** Methods that no test can cover, and why. */
    private static final Map<String, String> NOT_COVERED = Map.of(
            "connection.secure", "no mechanism on offer asks a second question",
            "connection.secure-ok", "no mechanism on offer asks a second question");

    /** The sections of the specification of AMQP 1.0 that say how peers behave, and how many subsections each has. */
    private static final Map<String, Integer> BEHAVIOUR = Map.ofEntries(
            Map.entry("1.0 §2.2", 0), Map.entry("1.0 §2.3", 0), Map.entry("1.0 §2.4", 0), Map.entry("1.0 §2.5", 0),
            Map.entry("1.0 §2.6", 14), Map.entry("1.0 §2.7", 9), Map.entry("1.0 §3.2", 0), Map.entry("1.0 §3.4", 0),
            Map.entry("1.0 §3.5", 13), Map.entry("1.0 §4.2", 0), Map.entry("1.0 §4.3", 0), Map.entry("1.0 §4.4", 4),
            Map.entry("1.0 §5.2", 0), Map.entry("1.0 §5.3", 0));

    private static final Path OF_AMQP_1_0 = Path.of("..", "..", "protocol", "amqp10", "src", "test", "java");

    /** Those of them that are about AMQP 1.0 are named so. */
    private static final Path OF_HOSTILE_PEERS = Path.of("..", "hostile", "src", "test", "java");

    private static final String SYNCHRONOUS_ANSWER = "-ok";

    @Test
    void shouldCoverEveryMethodOfTheProtocol() throws Exception {
        Map<String, TreeSet<String>> tests = new TreeMap<>();
        for (Class<?> type : ReflectionSupport.findAllClassesInPackage("io.sluicemq.interop", each -> true,
                name -> name.endsWith("Test"))) {
            String[] ofAll = AnnotationSupport.findAnnotation(type, Spec.class).map(Spec::value).orElse(new String[0]);
            for (Method method : ReflectionSupport.findMethods(type, each -> each.getName().startsWith("should"),
                    HierarchyTraversalMode.TOP_DOWN)) {
                List<String> clauses = new ArrayList<>(Arrays.asList(ofAll));
                AnnotationSupport.findAnnotation(method, Spec.class)
                        .ifPresent(spec -> clauses.addAll(List.of(spec.value())));
                for (String clause : clauses) {
                    tests.computeIfAbsent(clause, key -> new TreeSet<>())
                            .add(type.getSimpleName() + "." + method.getName());
                }
            }
        }
        SpecComments.collect(OF_AMQP_1_0, "", "1.0 ", tests);
        SpecComments.collect(OF_HOSTILE_PEERS, "Amqp10", "1.0 ", tests);
        Files.createDirectories(REPORT.getParent());
        Files.writeString(REPORT, report(tests));
        assertThat(tests.keySet()).allSatisfy(clause -> assertThat(isKnown(clause)).as(clause).isTrue());
        assertThat(METHODS).allSatisfy(method -> assertThat(NOT_COVERED.containsKey(method) || isCovered(method, tests))
                .as("a test with @Spec(\"0-9-1 %s\")", method).isTrue());
        assertThat(sections()).allSatisfy(
                section -> assertThat(isCoveredIn(section, tests))
                        .as("a test with @Spec(\"%s\")", section).isTrue());
    }

    /** Whether a test is about a section, or one of its subsections. */
    private static boolean isCoveredIn(String section, Map<String, TreeSet<String>> tests) {
        return tests.keySet().stream().anyMatch(clause -> clause.equals(section) || clause.startsWith(section + ".")
                || clause.startsWith(section + " "));
    }

    private static List<String> sections() {
        List<String> sections = new ArrayList<>();
        BEHAVIOUR.forEach((section, subsections) -> {
            if (subsections == 0) {
                sections.add(section);
            }
            for (int i = 1; i <= subsections; i++) {
                sections.add(section + "." + i);
            }
        });
        sections.sort(null);
        return sections;
    }

    /** A method, or the one that it answers: a client's call that returns has had its answer. */
    private static boolean isCovered(String method, Map<String, TreeSet<String>> tests) {
        String asked = method.endsWith(SYNCHRONOUS_ANSWER)
                ? method.substring(0, method.length() - SYNCHRONOUS_ANSWER.length())
                : method;
        return tests.keySet().stream().map(SpecReportTest::methodOf).anyMatch(
                covered -> covered.equals(method) || covered.equals(asked));
    }

    private static String methodOf(String clause) {
        String[] words = clause.split(" ");
        return words.length > 1 ? words[1] : "";
    }

    private static boolean isKnown(String clause) {
        return clause.startsWith("RabbitMQ ") || SECTION.matcher(clause).matches()
                || clause.startsWith("0-9-1 ")
                        && (METHODS.contains(methodOf(clause)) || clause.equals("0-9-1 basic properties"));
    }

    private static String report(Map<String, TreeSet<String>> tests) {
        StringBuilder report =
                new StringBuilder("# What tests cover\n\n## Methods of AMQP 0-9-1\n\n");
        report.append("| method | tests |\n| --- | --- |\n");
        for (String method : METHODS) {
            TreeSet<String> covering = new TreeSet<>();
            tests.forEach((clause, names) -> {
                if (clause.startsWith("0-9-1 ") && methodOf(clause).equals(method)) {
                    covering.addAll(names);
                }
            });
            String none = NOT_COVERED.getOrDefault(method,
                    method.endsWith(SYNCHRONOUS_ANSWER) ? "with what it answers" : "none");
            report.append("| ").append(method).append(" | ")
                    .append(covering.isEmpty() ? none : String.join(", ", covering)).append(" |\n");
        }
        append(report, "Sections of the specification of AMQP 0-9-1, and details", "0-9-1 ", tests);
        append(report, "Sections of the specification of AMQP 1.0", "1.0 ", tests);
        append(report, "Extensions", "RabbitMQ ", tests);
        return report.toString();
    }

    private static void append(StringBuilder report, String title, String prefix, Map<String, TreeSet<String>> tests) {
        report.append("\n## ").append(title).append("\n\n| clause | tests |\n| --- | --- |\n");
        tests.forEach((clause, names) -> {
            if (clause.startsWith(prefix)) {
                report.append("| ").append(clause).append(" | ").append(String.join(", ", names)).append(" |\n");
            }
        });
    }
}
