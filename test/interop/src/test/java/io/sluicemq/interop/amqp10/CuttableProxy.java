package io.sluicemq.interop.amqp10;

import io.sluicemq.campaign.BrokerUnderTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A port that leads to the broker, whose connections can be cut in the middle of whatever they do. Each has two threads, one a
 * direction; any thread may cut.
 */
final class CuttableProxy implements AutoCloseable {

    private final BrokerUnderTest broker;
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private CuttableProxy(BrokerUnderTest broker) throws IOException {
        this.broker = broker;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    static CuttableProxy to(BrokerUnderTest broker) throws IOException {
        CuttableProxy proxy = new CuttableProxy(broker);
        Thread.ofVirtual().start(proxy::accept);
        return proxy;
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket there = new Socket(broker.host(), broker.port());
                open.add(client);
                open.add(there);
                Thread.ofVirtual().start(() -> copy(client, there));
                Thread.ofVirtual().start(() -> copy(there, client));
            } catch (IOException e) {
                // closed, which ends the loop
            }
        }
    }

    private void copy(Socket from, Socket to) {
        try (from; to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // cut, or closed by the other direction
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    /** Ends all connections there are, without a word to either side. */
    void cut() throws IOException {
        for (Socket each : open) {
            try {
                each.setSoLinger(true, 0);
                each.close();
            } catch (SocketException e) {
                // The other direction may have closed it since.
                if (!each.isClosed()) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
