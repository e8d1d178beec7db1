package io.sluicemq.architecture.samples.good;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What a class of the core may do, in recent syntax. */
public class Good {
    /** A closed set of shapes. */
    sealed interface Shape {
        record Circle(double radius) implements Shape {}

        record Pair(Shape one, Shape two) implements Shape {}
    }

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    static long first(byte[] bytes) {
        return (long) LONGS.get(bytes, 0);
    }

    CompletableFuture<Long> answer(long value) {
        return CompletableFuture.completedFuture(value).thenApply(number -> number + 1);
    }

    double area(Shape shape) {
        return switch (shape) {
            case Shape.Circle(double radius) when radius > 1 -> radius;
            case Shape.Circle _ -> 0;
            case Shape.Pair(var one, _) -> area(one);
        };
    }

    Instant later(Instant now) {
        return now.plus(Duration.ofMillis(TimeUnit.SECONDS.toMillis(1)));
    }

    Date at(long millis) {
        return new Date(millis);
    }
}
