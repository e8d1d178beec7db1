package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.receive;
import static io.sluicemq.interop.amqp10.ProtonClient.send;
import static io.sluicemq.interop.amqp10.ProtonClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.ProtonClient.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.OutputStreamOptions;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.StreamDelivery;
import org.apache.qpid.protonj2.client.StreamReceiver;
import org.apache.qpid.protonj2.client.StreamReceiverOptions;
import org.apache.qpid.protonj2.client.StreamSender;
import org.apache.qpid.protonj2.client.StreamSenderMessage;
import org.apache.qpid.protonj2.client.StreamTracker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Large messages that protonj2-client writes and reads piece by piece. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has other limits")
class ProtonStreamsTest {

    private static final long WAIT_SECONDS = 60;

    /** Bytes that a seed and their place determine, and their digest. */
    private static final class Content {

        final MessageDigest digest;
        private final Random random;
        private final byte[] piece;

        Content(long seed, int pieceBytes) throws Exception {
            digest = MessageDigest.getInstance("SHA-256");
            random = new Random(seed);
            piece = new byte[pieceBytes];
        }

        void writeTo(OutputStream out, long bytes) throws IOException {
            for (long left = bytes; left > 0; left -= piece.length) {
                random.nextBytes(piece);
                int length = (int) Math.min(left, piece.length);
                digest.update(piece, 0, length);
                out.write(piece, 0, length);
            }
        }
    }

    private static StreamTracker stream(StreamSender sender, Content content, int bytes) throws Exception {
        StreamSenderMessage message = sender.beginMessage();
        message.durable(true).subject("large");
        try (OutputStream body = message.body(new OutputStreamOptions().bodyLength(bytes))) {
            content.writeTo(body, bytes);
        }
        return message.tracker();
    }

    private static StreamDelivery next(StreamReceiver receiver) throws Exception {
        StreamDelivery delivery = receiver.receive(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(delivery).isNotNull();
        return delivery;
    }

    /** Reads a body; its digest. */
    private static byte[] read(StreamDelivery delivery, int bytes) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (InputStream body = new DigestInputStream(delivery.message().body(), digest)) {
            assertThat(body.transferTo(OutputStream.nullOutputStream())).isEqualTo(bytes);
        }
        return digest.digest();
    }

    @ParameterizedTest
    @CsvSource({"52428800, 65536, 65536", "52428800, 1000000, 4096", "3000000, 700, 512", "1, 1, 512"})
    @Spec({"1.0 §2.6.14", "1.0 §2.7.5", "1.0 §2.3.1"})
    void shouldStream(int bytes, int pieceBytes, int maxFrameBytes, Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection sending = ProtonClient.connect(lab, settings -> settings.maxFrameSize(maxFrameBytes));
        Connection receiving = ProtonClient.connect(lab, settings -> settings.maxFrameSize(maxFrameBytes));
        Content content = new Content(bytes, pieceBytes);
        StreamTracker tracker = stream(sending.openStreamSender(queue), content, bytes);
        tracker.awaitAccepted(WAIT_SECONDS, TimeUnit.SECONDS);
        StreamDelivery delivery = next(receiving.openStreamReceiver(queue));
        assertThat(delivery.message().subject()).isEqualTo("large");
        assertThat(read(delivery, bytes)).isEqualTo(content.digest.digest());
        delivery.accept();
        Lab.until("nothing is left", () -> lab.depth(queue) == 0 && lab.counters().messageBytes() == 0);
    }

    /** The first stops in the middle, for as long as the others take. */
    @Test
    @Spec({"1.0 §2.6.14", "1.0 §2.6.7"})
    void shouldLetOthersPassBetweenThePieces(Lab lab) throws Exception {
        String large = ProtonClient.queue(lab);
        String small = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        int bytes = 20 << 20;
        Content content = new Content(1, 64 << 10);
        StreamSender streaming = connection.openStreamSender(large);
        StreamSenderMessage message = streaming.beginMessage();
        OutputStream body = message.body();
        Receiver receiver = connection.openReceiver(small);
        Sender sender = connection.openSender(small);
        for (int i = 0; i < 4; i++) {
            content.writeTo(body, bytes / 4);
            body.flush();
            send(sender, "between " + i);
            assertThat(text(receive(receiver))).isEqualTo("between " + i);
        }
        body.close();
        message.tracker().awaitAccepted(WAIT_SECONDS, TimeUnit.SECONDS);
        StreamReceiver streamed =
                connection.openStreamReceiver(large, new StreamReceiverOptions().readBufferSize(256 << 10));
        StreamDelivery delivery = next(streamed);
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        InputStream in = new DigestInputStream(delivery.message().body(), digest);
        assertThat(in.readNBytes(1 << 20)).hasSize(1 << 20);
        send(sender, "while it stops");
        assertThat(text(receive(receiver))).isEqualTo("while it stops");
        assertThat(in.transferTo(OutputStream.nullOutputStream())).isEqualTo(bytes - (1 << 20));
        assertThat(digest.digest()).isEqualTo(content.digest.digest());
        delivery.accept();
    }

    @Test
    @Spec({"1.0 §3.4.4", "1.0 §3.4.5", "1.0 §2.6.14"})
    void shouldStreamAgainWhatIsReleased(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        int bytes = 5 << 20;
        Content content = new Content(2, 64 << 10);
        stream(connection.openStreamSender(queue), content, bytes).awaitAccepted(WAIT_SECONDS, TimeUnit.SECONDS);
        byte[] digest = content.digest.digest();
        StreamReceiver receiver = connection.openStreamReceiver(
                queue, new StreamReceiverOptions().autoAccept(false).creditWindow(1));
        StreamDelivery first = next(receiver);
        assertThat(read(first, bytes)).isEqualTo(digest);
        first.release();
        StreamDelivery second = next(receiver);
        assertThat(second.message().deliveryCount()).isZero();
        assertThat(read(second, bytes)).isEqualTo(digest);
        second.modified(true, false);
        StreamDelivery third = next(receiver);
        assertThat(third.message().deliveryCount()).isEqualTo(1);
        assertThat(read(third, bytes)).isEqualTo(digest);
        third.accept();
        Lab.until("nothing is left", () -> lab.depth(queue) == 0 && lab.counters().messageBytes() == 0);
    }

    @Test
    @Spec({"1.0 §2.6.14", "1.0 §2.7.5"})
    void shouldForgetWhatIsAborted(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        StreamSender streaming = connection.openStreamSender(queue);
        for (int i = 0; i < 5; i++) {
            StreamSenderMessage message = streaming.beginMessage();
            OutputStream body = message.body();
            new Content(i, 64 << 10).writeTo(body, 3 << 20);
            body.flush();
            message.abort();
        }
        Content content = new Content(9, 64 << 10);
        stream(streaming, content, 3 << 20).awaitAccepted(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(lab.depth(queue)).isEqualTo(1);
        StreamDelivery delivery = next(connection.openStreamReceiver(queue));
        assertThat(read(delivery, 3 << 20)).isEqualTo(content.digest.digest());
        delivery.accept();
        shouldBeEmpty(connection.openReceiver(queue));
        Lab.until("nothing is left", () -> lab.counters().messageBytes() == 0);
    }
}
