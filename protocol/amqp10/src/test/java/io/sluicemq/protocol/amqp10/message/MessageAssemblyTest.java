package io.sluicemq.protocol.amqp10.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import java.util.Arrays;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Messages of many transfers (part 2 §2.6.14). */
final class MessageAssemblyTest {

    private static final long MOST = 1 << 20;

    @Provide
    Arbitrary<byte[]> messages() {
        return Sections.messages();
    }

    /** What is read of the pieces; null if they are no message. */
    private static Message assembled(byte[] bytes, int piece) {
        MessageAssembly assembly = new MessageAssembly();
        int held = 0;
        for (int at = 0; at < bytes.length; at += piece) {
            held += assembly.add(bytes, at, Math.min(piece, bytes.length - at), MOST);
        }
        assertThat(assembly.length()).isEqualTo(bytes.length);
        assertThat(assembly.heldBytes()).isEqualTo(held);
        try {
            return assembly.read(new IncomingMessage()).copy().toMessage("e", "k", null, 0);
        } catch (MessageFault e) {
            return null;
        }
    }

    private static Message whole(byte[] bytes) {
        try {
            return new IncomingMessage().read(bytes, 0, bytes.length).toMessage("e", "k", null, 0);
        } catch (MessageFault e) {
            return null;
        }
    }

    private static void assertSame(Message message, Message expected) {
        assertThat(message == null).isEqualTo(expected == null);
        if (expected != null) {
            assertThat(message.header()).isEqualTo(expected.header());
            assertThat(message.body()).isEqualTo(expected.body());
            assertThat(message.durable()).isEqualTo(expected.durable());
            assertThat(message.ttlMillis()).isEqualTo(expected.ttlMillis());
            assertThat(message.group()).isEqualTo(expected.group());
        }
    }

    @Property(tries = 500)
    void shouldReadTheSameInPiecesOfAnySize(
            @ForAll("messages") byte[] bytes, @ForAll @IntRange(min = 1, max = 100) int piece) {
        assertSame(assembled(bytes, piece), whole(bytes));
    }

    @Property(tries = 2000)
    void shouldRefuseTheSameInPieces(
            @ForAll("messages") byte[] bytes, @ForAll @IntRange(min = 1, max = 100) int piece,
            @ForAll @IntRange(max = 10_000) int place, @ForAll byte octet) {
        byte[] mutated = bytes.clone();
        if (mutated.length > 0) {
            mutated[place % mutated.length] = octet;
        }
        assertSame(assembled(mutated, piece), whole(mutated));
    }

    /** A large body takes the memory that it says, once a part of it is there, and none twice. */
    @Example
    void shouldGiveALargeBodyAnArrayOfItsOwn() throws MessageFault {
        byte[] body = new byte[500_000];
        Arrays.fill(body, (byte) 3);
        byte[] bytes = Sections.none().header(true).properties("id").data(body).bytes();

        MessageAssembly assembly = new MessageAssembly();
        assembly.add(bytes, 0, 1000, MOST);
        int little = assembly.heldBytes();
        for (int at = 1000; at < bytes.length; at += 1000) {
            assembly.add(bytes, at, Math.min(1000, bytes.length - at), MOST);
        }
        Message message = assembly.read(new IncomingMessage()).toMessage("e", "k", null, 0);

        assertThat(little).isLessThan(10_000);
        assertThat(assembly.heldBytes()).isEqualTo(bytes.length);
        assertThat(message.body()).isSameAs(assembly.read(new IncomingMessage()).toMessage("e", "k", null, 0).body());
        assertThat(message.body()).hasSize(500_000 + 8);
    }

    /** Who announces what does not come gets no memory for it. */
    @Example
    void shouldNotBelieveWhatIsAnnounced() {
        byte[] start = Sections.none().raw(0, 0x53, 0x75, 0xB0, 0x7F, 0xFF, 0xFF, 0xFF, 1, 2, 3).bytes();
        MessageAssembly assembly = new MessageAssembly();

        assembly.add(start, 0, start.length, 1L << 40);

        assertThat(assembly.heldBytes()).isLessThan(10_000);
    }
}
