package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class MessageStampTest {

    @Property
    void shouldReadWhatItWrote(
            @ForAll long nanos,
            @ForAll @IntRange(min = 0, max = 65_535) int producer,
            @ForAll @LongRange(min = 0, max = (1L << 48) - 1) long sequence) {
        byte[] body = new byte[MessageStamp.BYTES];

        MessageStamp.write(body, nanos, producer, sequence);

        assertThat(MessageStamp.nanos(body)).isEqualTo(nanos);
        assertThat(MessageStamp.producer(body)).isEqualTo(producer);
        assertThat(MessageStamp.sequence(body)).isEqualTo(sequence);
    }
}
