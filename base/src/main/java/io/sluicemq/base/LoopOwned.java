package io.sluicemq.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class whose instances belong to one {@link Loop} each: only that loop's thread calls it, it holds no lock and no
 * volatile, and it asserts its owner at its entries. Other loops reach it by {@link Loop#send}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface LoopOwned {}
