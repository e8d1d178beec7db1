package io.sluicemq.protocol.amqp10.message;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.types.messaging.Section;

/** Reads messages with the decoder of Qpid protonj2, which knows nothing of ours. */
final class ProtonReader {

    private ProtonReader() {}

    static List<Section<?>> sections(byte[] message) {
        ProtonBuffer in = ProtonBufferAllocator.defaultAllocator().copy(message);
        Decoder decoder = CodecFactory.getDecoder();
        List<Section<?>> sections = new ArrayList<>();
        while (in.isReadable()) {
            sections.add((Section<?>) decoder.readObject(in, decoder.newDecoderState()));
        }
        return sections;
    }

    static <T> T find(byte[] message, Class<T> type) {
        for (Section<?> section : sections(message)) {
            if (type.isInstance(section)) {
                return type.cast(section);
            }
        }
        return null;
    }
}
