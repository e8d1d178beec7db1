package io.sluicemq.interop.lab;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a test covers, for the report of {@link SpecReport}: a method of AMQP 0-9-1 as {@code 0-9-1 class.method}, with what
 * of it after a space; a section of the specification as {@code 0-9-1 §4.2.7}, for AMQP 1.0 with the part before the section, as
 * {@code 1.0 §2.6.7}; or an extension that RabbitMQ documents as {@code RabbitMQ name}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Spec {
    String[] value();
}
