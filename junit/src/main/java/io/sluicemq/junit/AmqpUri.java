package io.sluicemq.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a test that gets the address of its broker, such as {@code amqp://127.0.0.1:40123}: a {@link String} or
 * a {@link java.net.URI}. Needs {@link SluiceMQExtension}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface AmqpUri {}
