package io.sluicemq.junit;

import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.SluiceMQBuilder;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Runs a broker for tests, on a free port and in memory unless told otherwise. It starts before the first test of a class and
 * stops after the last (with its nested classes), or, as an instance field, around each test.
 *
 * <pre>{@code
 * @ExtendWith(SluiceMQExtension.class)
 * class OrdersTest {
 *     @Test
 *     void shouldTakeAnOrder(@AmqpUri String uri) { ... }
 * }
 *
 * class UsersTest {
 *     @RegisterExtension
 *     static final SluiceMQExtension BROKER = SluiceMQExtension.with(broker -> broker.user("ann", "secret"));
 *
 *     @Test
 *     void shouldLogIn() { connect(BROKER.broker().amqpUri("ann", "secret", "/")); }
 * }
 * }</pre>
 *
 * <p>Tests may have a parameter of type {@link SluiceMQ}, or one marked with {@link AmqpUri}. When a test fails, the broker's
 * counters go to standard error: they often tell what it waited for.
 *
 * <p>Safe from any thread. Invariant: the broker runs while somebody has entered and not left.
 */
public final class SluiceMQExtension
        implements BeforeAllCallback,
        BeforeEachCallback,
        AfterTestExecutionCallback,
        AfterEachCallback,
        AfterAllCallback,
        ParameterResolver {

    private final Consumer<SluiceMQBuilder> options;
    private final Set<String> inside = new HashSet<>();
    private SluiceMQ broker;

    /** A broker with the defaults; for {@code @ExtendWith}. */
    public SluiceMQExtension() {
        this(builder -> {});
    }

    private SluiceMQExtension(Consumer<SluiceMQBuilder> options) {
        this.options = options;
    }

    /**
     * A broker with other options; for {@code @RegisterExtension}.
     *
     * @param options called before each start with a builder that has port 0
     */
    public static SluiceMQExtension with(Consumer<SluiceMQBuilder> options) {
        return new SluiceMQExtension(options);
    }

    /**
     * The broker.
     *
     * @throws IllegalStateException if it does not run now
     */
    public synchronized SluiceMQ broker() {
        if (broker == null) {
            throw new IllegalStateException(
                    "the broker runs only during the tests that its extension was registered for");
        }
        return broker;
    }

    /** {@link SluiceMQ#amqpUri()} of the broker. */
    public String amqpUri() {
        return broker().amqpUri();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        enter(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        enter(context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        leave(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        leave(context);
    }

    private synchronized void enter(ExtensionContext context) {
        if (broker == null) {
            SluiceMQBuilder builder = SluiceMQ.builder().port(0);
            options.accept(builder);
            broker = builder.start();
        }
        inside.add(context.getUniqueId());
    }

    private synchronized void leave(ExtensionContext context) {
        if (inside.remove(context.getUniqueId()) && inside.isEmpty()) {
            SluiceMQ last = broker;
            broker = null;
            last.stop();
        }
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            System.err.println(
                    context.getDisplayName() + " failed; " + broker().amqpUri() + " has " + broker().counters());
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SluiceMQ.class
                || parameter.isAnnotated(AmqpUri.class) && (type == String.class || type == URI.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        SluiceMQ running;
        try {
            running = broker();
        } catch (IllegalStateException e) {
            throw new ParameterResolutionException(e.getMessage(), e);
        }
        Class<?> type = parameter.getParameter().getType();
        if (type == SluiceMQ.class) {
            return running;
        }
        return type == URI.class ? URI.create(running.amqpUri()) : running.amqpUri();
    }
}
