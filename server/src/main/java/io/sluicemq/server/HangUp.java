package io.sluicemq.server;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the process do something upon SIGHUP, where there is such a signal. The JDK has no supported way to do so; what it has, in
 * {@code sun.misc}, is reached by reflection, so that a JDK without it costs the signal and nothing else.
 */
final class HangUp {

    private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

    private HangUp() {}

    /** @param task run on a thread of its own for each signal */
    static void then(Runnable task) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object toTask = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getDeclaringClass() == Object.class) {
                            return method.invoke(task, arguments);
                        }
                        task.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), toTask);
        } catch (ReflectiveOperationException e) {
            // There is none on this system, or the JVM was told to leave signals alone (-Xrs).
            LOG.debug("SIGHUP does nothing here", e);
        }
    }
}
