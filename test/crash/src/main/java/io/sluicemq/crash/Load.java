package io.sluicemq.crash;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Clients at work, each with a connection and a thread, until the broker goes away. Started and ended by the campaign's
 * thread. A client that ends before the broker was told to is a fault.
 */
final class Load {

    private static final long JOIN_MILLIS = 60_000;

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch broken = new CountDownLatch(1);
    private final Findings findings;

    private Load(Findings findings) {
        this.findings = findings;
    }

    static Load start(List<Client> clients, int port, Random seeds, Findings findings) {
        Load load = new Load(findings);
        for (Client client : clients) {
            Random random = new Random(seeds.nextLong());
            String name = client.getClass().getSimpleName() + "-" + load.threads.size();
            load.threads.add(Thread.ofPlatform().name(name).daemon().start(() -> load.run(client, port, random)));
        }
        return load;
    }

    private void run(Client client, int port, Random random) {
        try {
            Connection connection = Client.connect(port);
            try {
                client.run(connection, random);
            } finally {
                connection.abort(1_000);
            }
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            if (!ending.get()) {
                fault(e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fault(e);
        } catch (RuntimeException e) {
            fault(e);
        } finally {
            broken.countDown();
        }
    }

    private void fault(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        findings.fault(Thread.currentThread().getName() + " was stopped by " + cause + " at " + e.getStackTrace()[0]);
    }

    /** Waits some time, or until a client has given up. */
    void letRun(long millis) throws InterruptedException {
        broken.await(millis, TimeUnit.MILLISECONDS);
    }

    /** From now on clients may end. */
    void ending() {
        ending.set(true);
    }

    /** Waits for the clients, after the broker has gone. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(JOIN_MILLIS);
            if (thread.isAlive()) {
                findings.fault(thread.getName() + " does not notice that the broker is gone; it is at "
                        + List.of(thread.getStackTrace()));
            }
        }
    }
}
