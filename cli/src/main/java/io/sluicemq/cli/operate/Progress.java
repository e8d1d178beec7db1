package io.sluicemq.cli.operate;

import io.sluicemq.cli.text.Printable;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Says now and then how far long work has come, so that nobody wonders: over one line of a terminal, else a line now and then. For one thread. */
final class Progress {

    private static final long TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final PrintWriter err;
    private final boolean terminal;
    private final long every;
    private long last = System.nanoTime();
    private boolean shown;

    Progress(PrintWriter err) {
        this.err = err;
        this.terminal = Terminal.isThere();
        this.every = terminal ? TERMINAL_NANOS : LINE_NANOS;
    }

    /** @param what of what, such as {@code messages moved} */
    void at(long done, long all, String what) {
        long now = System.nanoTime();
        if (now - last < every) {
            return;
        }
        last = now;
        String text = Printable.text(done + " of " + all + " " + what);
        if (terminal) {
            shown = true;
            err.print("\r" + text + "\u001b[K");
            err.flush();
        } else {
            err.println(text);
        }
    }

    /** Makes room for what is said next. */
    void end() {
        if (shown) {
            err.print("\r\u001b[K");
            err.flush();
        }
    }
}
