package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BodyFramesTest {

    @Property
    void shouldBeTheSameInWhateverPiecesTheyAreTaken(
            @ForAll @IntRange(min = 1, max = 2_000) int length,
            @ForAll @IntRange(min = 1, max = 300) int chunk,
            @ForAll @IntRange(min = 1, max = 700) int piece,
            @ForAll @IntRange(min = 1, max = 65_535) int channel) {
        byte[] body = new byte[length];
        new Random(length).nextBytes(body);
        List<byte[]> expected = new ArrayList<>();
        for (int at = 0; at < length; at += chunk) {
            expected.add(RawFrames.body(channel, Arrays.copyOfRange(body, at, Math.min(length, at + chunk))));
        }
        BodyFrames frames = new BodyFrames(channel, body, 0, body.length, chunk);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        while (taken.size() < frames.length()) {
            ByteBuffer target = ByteBuffer.allocate(piece);
            frames.copy(taken.size(), target);
            assertThat(target.position()).isPositive();
            // A socket may take less than it is offered; the rest is made again.
            taken.write(target.array(), 0, Math.max(1, target.position() - piece / 3));
        }
        assertThat(taken.toByteArray()).isEqualTo(RawFrames.join(expected.toArray(byte[][]::new)));
        assertThat(RawFrame.all(taken.toByteArray())).hasSameSizeAs(expected);
    }
}
