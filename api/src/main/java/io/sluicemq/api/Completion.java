package io.sluicemq.api;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;

/**
 * The one-shot answer that a command owes. It counts <em>obligations</em>: it starts at one, the initial hold of whoever
 * hands the command out, grows by one with each {@link #hold}, and fires when all are {@linkplain #met met}. Since the
 * initial hold is given up last, by {@link #handedOut}, it can fire neither early nor twice, however fast an obligation is
 * met. It lives on its owner's loop and fires there.
 */
@LoopOwned
public abstract class Completion implements Runnable {

    private final Loop loop;
    private int outstanding = 1;
    private BrokerError refusal;
    private Answers counted;

    protected Completion(Loop loop) {
        this.loop = loop;
    }

    /** The owner's loop. */
    public final Loop loop() {
        return loop;
    }

    /** Has {@code answers}, of the owner's loop, count this one. On that loop, once, before {@link #handedOut}. */
    public final void countedBy(Answers answers) {
        counted = answers;
        answers.owes(this);
    }

    /** Takes on one more obligation. On the owner's loop, before {@link #handedOut}, or while another is outstanding. */
    public final void hold() {
        assert loop.isCurrent() && outstanding > 0;
        outstanding++;
    }

    /** Gives up the initial hold: all obligations have been handed out. On the owner's loop. */
    public final void handedOut() {
        release();
    }

    /** Says from {@code here}, the loop the caller runs on, that one obligation is met. */
    public final void met(Loop here) {
        here.send(loop, this);
    }

    /** Says from a thread that is no loop that one obligation is met; it arrives on the owner's loop as an event. */
    public final void metFromOutside() {
        loop.execute(this);
    }

    /** Says from {@code here} that one obligation has ended in a refusal. The first refusal is the one reported. */
    public final void refused(Loop here, BrokerError error) {
        here.send(loop, () -> {
            if (refusal == null) {
                refusal = error;
            }
            release();
        });
    }

    /** One obligation is met; for loops, which pass the completion itself as the event. Use {@link #met}. */
    @Override
    public final void run() {
        release();
    }

    private void release() {
        assert loop.isCurrent();
        if (outstanding <= 0) {
            throw new IllegalStateException("an obligation was met twice");
        }
        if (--outstanding == 0) {
            if (counted != null) {
                counted.gave(this, refusal != null);
            }
            complete(refusal);
        }
    }

    /**
     * All obligations have ended. Called once, on the owner's loop.
     *
     * @param refusal why the command was refused, or null if every obligation was met
     */
    protected abstract void complete(BrokerError refusal);
}
