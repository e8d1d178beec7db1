package io.sluicemq.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a message counts for is about what it takes of the heap, as objects are laid out with compressed references: with compact
 * heads, of 8 bytes, as the broker's own start script has them, and with those of 12 bytes, as most applications do that embed it.
 */
class MemorySizesTest {

    private static final Percentage A_TENTH = Percentage.withPercentage(10);
    private static final int ALIGNMENT = 8;
    private static final int REFERENCE_BYTES = 4;
    /** What an object is filled up by to the next multiple of {@link #ALIGNMENT}, on average. */
    private static final double FILLING = (ALIGNMENT - 1) / 2.0;
    /** A ring that doubles is three quarters full on average. */
    private static final double SLOT_BYTES = REFERENCE_BYTES / 0.75;

    private static int objectBytes(Class<?> type, int headBytes) {
        int bytes = headBytes;
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                bytes += fieldBytes(field.getType());
            }
        }
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private static int fieldBytes(Class<?> type) {
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == boolean.class || type == byte.class) {
            return Byte.BYTES;
        }
        if (type == short.class || type == char.class) {
            return Short.BYTES;
        }
        return type == int.class || type == float.class ? Integer.BYTES : REFERENCE_BYTES;
    }

    private static double entryBytes(int headBytes) {
        return objectBytes(QueueEntry.class, headBytes) + SLOT_BYTES;
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12})
    void shouldCountAMessageAsWhatItTakes(int headBytes) {
        double arrays = 2 * (headBytes + Integer.BYTES + FILLING);
        double takes = objectBytes(Message.class, headBytes) + arrays + entryBytes(headBytes);
        assertThat((double) Message.OVERHEAD_BYTES).isCloseTo(takes, A_TENTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12})
    void shouldCountAnEntryAsWhatItTakes(int headBytes) {
        assertThat((double) Message.ENTRY_BYTES).isCloseTo(entryBytes(headBytes), A_TENTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12})
    void shouldCountADelayedMessageInTheLogAsWhatItTakes(int headBytes) {
        assertThat((double) Delayed.BYTES).isCloseTo(objectBytes(Delayed.class, headBytes) + SLOT_BYTES, A_TENTH);
    }
}
