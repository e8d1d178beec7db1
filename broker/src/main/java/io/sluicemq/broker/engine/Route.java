package io.sluicemq.broker.engine;

import io.sluicemq.api.Message;
import io.sluicemq.broker.routing.RouteSet;
import java.util.Arrays;

/**
 * The queues that a message goes to. Immutable.
 *
 * @param loggedIds the ids of those that are in the log
 * @param isSelective whether some of them don't take all messages: {@link #forMessage}
 */
record Route(QueueProxy[] targets, long[] loggedIds, boolean isSelective) {

    static final Route NOWHERE = new Route(new QueueProxy[0], new long[0], false);

    static Route of(RouteSet<QueueProxy> found) {
        int size = found.size();
        if (size == 0) {
            return NOWHERE;
        }
        QueueProxy[] targets = new QueueProxy[size];
        for (int i = 0; i < size; i++) {
            targets[i] = found.get(i);
        }
        return of(targets);
    }

    static Route of(QueueProxy... targets) {
        int logged = 0;
        boolean selective = false;
        for (QueueProxy target : targets) {
            selective |= target.queue().options().isSelective();
            logged += target.queue().isLogged() ? 1 : 0;
        }
        long[] ids = new long[logged];
        int next = 0;
        for (QueueProxy target : targets) {
            if (target.queue().isLogged()) {
                ids[next++] = target.queue().id();
            }
        }
        return new Route(targets, ids, selective);
    }

    /**
     * Those that take this message.
     *
     * @param publisher the identity of the client that publishes it
     */
    Route forMessage(Message message, String publisher) {
        int count = 0;
        QueueProxy[] takers = new QueueProxy[targets.length];
        for (QueueProxy target : targets) {
            if (target.queue().options().takes(message, publisher)) {
                takers[count++] = target;
            }
        }
        return count == targets.length ? this : count == 0 ? NOWHERE : of(Arrays.copyOf(takers, count));
    }

    int size() {
        return targets.length;
    }

    /** Whether room must be reserved in some queue's account for what goes there. */
    boolean isLimited() {
        for (QueueProxy target : targets) {
            if (target.queue().account().isLimited()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a message that goes there is to be in the log. */
    boolean isLogged() {
        return loggedIds.length > 0;
    }
}
