package io.sluicemq.broker.engine;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the bytes of messages in memory, of all loops together, against the budget, and tells every client when it is
 * crossed and when there is room again. Owned by the broker's first loop; others send it what has changed, so that its sum is
 * behind by no more than {@code 64 KiB} a loop.
 *
 * <p>Only publishers are held back; consumers, settlements and declarations go on.
 */
@LoopOwned
final class MemoryBudget {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryBudget.class);

    private final long budgetBytes;
    private final long resumeBytes;
    private final Loop home;
    private LoopContext[] contexts;
    private long usedBytes;
    private boolean low;

    MemoryBudget(long budgetBytes, Loop home) {
        this.budgetBytes = budgetBytes;
        this.resumeBytes = budgetBytes - budgetBytes / 10;
        this.home = home;
    }

    /** Set once, before the broker starts. */
    void contexts(LoopContext[] contexts) {
        this.contexts = contexts;
    }

    LoopContext context(int index) {
        return contexts[index];
    }

    /** From {@code here}, the caller's loop: the bytes in use have changed. */
    void changed(Loop here, long difference) {
        here.send(home, () -> add(difference));
    }

    private void add(long difference) {
        usedBytes += difference;
        if (!low && usedBytes > budgetBytes) {
            low = true;
            LOG.warn(
                    "messages take {} MiB of memory, over the budget of {} MiB: publishers wait until consumers have made room",
                    usedBytes >> 20,
                    budgetBytes >> 20);
            tellAll();
        } else if (low && usedBytes <= resumeBytes) {
            low = false;
            LOG.info("messages take {} MiB of memory: publishers go on", usedBytes >> 20);
            tellAll();
        }
    }

    private void tellAll() {
        boolean now = low;
        for (LoopContext context : contexts) {
            home.send(context.loop, () -> {
                for (ConnectedClient client : context.clients.toArray(ConnectedClient[]::new)) {
                    client.resources(now);
                }
            });
        }
    }

    /** Tells a client that has come just now, from {@code here}, its loop. */
    void tell(Loop here, ConnectedClient client) {
        here.send(home, () -> {
            if (low) {
                home.send(here, () -> client.resources(true));
            }
        });
    }

    /** What a client is told. */
    String reason() {
        return "messages take more memory than the budget of " + (budgetBytes >> 20) + " MiB";
    }
}
