package io.sluicemq.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that accepts a number of consumers and then one producer on loopback, copies the producer's bytes to each
 * consumer until the producer ends, and ends. One thread with one buffer: the least that any broker does.
 */
final class Relay {

    /** What it prints when consumers may connect. */
    static final String READY = "relay ready";

    private static final int BUFFER_BYTES = 64 * 1024;

    private Relay() {}

    /** @param arguments the port and the number of consumers */
    public static void main(String[] arguments) throws IOException {
        int consumers = Integer.parseInt(arguments[1]);
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])));
            System.out.println(READY);
            List<SocketChannel> sinks = new ArrayList<>();
            while (sinks.size() < consumers) {
                sinks.add(accept(server));
            }
            try (SocketChannel source = accept(server)) {
                copy(source, sinks);
            } finally {
                for (SocketChannel sink : sinks) {
                    sink.close();
                }
            }
        }
    }

    private static SocketChannel accept(ServerSocketChannel server) throws IOException {
        SocketChannel channel = server.accept();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    private static void copy(SocketChannel source, List<SocketChannel> sinks) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        while (source.read(buffer) >= 0) {
            buffer.flip();
            int end = buffer.limit();
            for (SocketChannel sink : sinks) {
                buffer.position(0).limit(end);
                while (buffer.hasRemaining()) {
                    sink.write(buffer);
                }
            }
            buffer.clear();
        }
    }
}
