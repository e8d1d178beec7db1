package io.sluicemq.api.connection;

import io.sluicemq.api.Wire;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.List;

/**
 * Whose bytes stand in a connection's output buffer. When they have left for the socket and it takes more, each is told
 * once, which is what bounds the buffer. Owned by the connection's loop.
 */
@LoopOwned
public final class WindowReturns {

    private final Wire wire;
    private List<WindowOwner> owing = new ArrayList<>(0);
    private List<WindowOwner> spare = new ArrayList<>(0);

    public WindowReturns(Wire wire) {
        this.wire = wire;
    }

    /** Bytes of {@code owner} are in the buffer, the first since it was last told. */
    public void owe(WindowOwner owner) {
        owing.add(owner);
    }

    /** The buffer has been handed to the socket, or the socket takes bytes again. */
    public void giveBack() {
        if (owing.isEmpty() || !wire.isWritable()) {
            return;
        }
        List<WindowOwner> due = owing;
        owing = spare;
        for (int i = 0; i < due.size(); i++) {
            due.get(i).giveBack();
        }
        due.clear();
        spare = due;
    }
}
