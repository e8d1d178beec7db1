package io.sluicemq.interop.lab;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test that asks for more, or for something else, than RabbitMQ 3.10 does; it is not run against RabbitMQ. Evaluated by
 * {@link LabExtension}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface BeyondRabbitMq {
    /** What RabbitMQ does instead. */
    String value();
}
