package io.sluicemq.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.util.Set;

/**
 * Finds the use of monitors. ArchUnit knows of {@code synchronized} methods but doesn't look at instructions, so the
 * class file itself is read for {@code synchronized} blocks.
 */
final class NoMonitors extends ArchCondition<JavaClass> {
    private static final Set<String> WAITING = Set.of("wait", "notify", "notifyAll");

    NoMonitors() {
        super("use no monitor");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        for (MethodModel method : classFile(type).methods()) {
            boolean isSynchronized = method.flags().has(AccessFlag.SYNCHRONIZED);
            boolean hasBlock = method.code().stream()
                    .flatMap(code -> code.elementStream())
                    .anyMatch(MonitorInstruction.class::isInstance);
            if (isSynchronized || hasBlock) {
                String text = type.getName() + "." + method.methodName().stringValue() + " is synchronized";
                events.add(SimpleConditionEvent.violated(type, text));
            }
        }
        for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
            if (WAITING.contains(call.getName()) && call.getTargetOwner().isEquivalentTo(Object.class)) {
                events.add(SimpleConditionEvent.violated(call, call.getDescription()));
            }
        }
    }

    private static ClassModel classFile(JavaClass type) {
        URI uri = type.getSource().orElseThrow(() -> new IllegalStateException("no class file of " + type.getName()))
                .getUri();
        try (InputStream in = uri.toURL().openStream()) {
            return ClassFile.of().parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + uri, e);
        }
    }
}
