package io.sluicemq.interop.lab;

import io.sluicemq.campaign.BrokerUnderTest;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives each test a {@link Lab} of its own at a broker that all share, and checks after it that it left nothing behind.
 */
public final class LabExtension implements ParameterResolver, AfterEachCallback, ExecutionCondition {

    private static final Namespace HERE = Namespace.create(LabExtension.class);

    /** The broker, started once a JVM and closed at its end. */
    private record Shared(BrokerUnderTest broker, boolean rabbitMq) implements AutoCloseable {

        static Shared start() {
            BrokerUnderTest broker = BrokerUnderTest.at(System.getProperty("interop.uri"));
            return new Shared(broker, "RabbitMQ".equals(Lab.product(broker)));
        }

        @Override
        public void close() {
            broker.close();
        }
    }

    private static Shared shared(ExtensionContext context) {
        return context.getRoot().getStore(HERE).computeIfAbsent("broker", key -> Shared.start(), Shared.class);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), BeyondRabbitMq.class)
                .filter(beyond -> shared(context).rabbitMq())
                .map(beyond -> ConditionEvaluationResult.disabled("RabbitMQ: " + beyond.value()))
                .orElse(ConditionEvaluationResult.enabled("asks for nothing special"));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Lab.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(HERE).computeIfAbsent("lab",
                key -> new Lab(shared(context).broker(), shared(context).rabbitMq()), Lab.class);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Lab lab = context.getStore(HERE).remove("lab", Lab.class);
        if (lab != null) {
            lab.leave();
        }
    }
}
