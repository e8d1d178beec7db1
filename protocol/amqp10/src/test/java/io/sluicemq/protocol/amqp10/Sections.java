package io.sluicemq.protocol.amqp10;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.types.messaging.Section;

/** A message's sections, read by protonj2. */
final class Sections {

    private Sections() {}

    static List<Section<?>> read(byte[] message) {
        Decoder decoder = CodecFactory.getDefaultDecoder();
        ProtonBuffer buffer = ProtonByteArrayBufferAllocator.wrapped(message);
        List<Section<?>> sections = new ArrayList<>();
        while (buffer.isReadable()) {
            sections.add((Section<?>) decoder.readObject(buffer, decoder.newDecoderState()));
        }
        return sections;
    }
}
