package io.sluicemq.simulation;

import io.sluicemq.api.Client;
import io.sluicemq.api.CreditLine;
import io.sluicemq.testkit.ManualLoop;

/**
 * A link of a client that sends to one address by credit, as a protocol would keep count of it. Lives on its client's loop.
 */
final class Link implements CreditLine.Sink {

    private final ManualLoop loop;
    private final String name;
    private final CreditLine line;
    /** What its client was granted, less what was revoked and what it has sent. */
    private long credit;
    /** How many it has sent for which the line had no credit any more. */
    private long without;

    Link(ManualLoop loop, Client client, String exchange, String key, Outlet outlet) {
        this.loop = loop;
        this.name = outlet + " to '" + exchange + "' '" + key + "'";
        this.line = client.openCredit(exchange, key, outlet, this);
    }

    /** Asks for so many more, unless it waits for an answer. */
    void asks(int messages, long bytesEach) {
        if (!line.isAsking()) {
            int found = line.ask(messages, bytesEach);
            Broken.unless(found >= 0 && found <= messages && found > 0 != line.isAsking(),
                    "%s has asked for %d messages and was granted %d", name, messages, found);
            credit += found;
        }
    }

    boolean hasCredit() {
        return credit > 0;
    }

    /** Its outlet is about to publish something, here or elsewhere. */
    void sends() {
        credit--;
        without += line.messages() == 0 ? 1 : 0;
    }

    void close() {
        line.close();
        line.close();
    }

    /** What must hold when nothing goes on. */
    void check() {
        Broken.unless(credit + without == line.messages(),
                "%s has credit for %d messages, and %d sent without, but the line has %d",
                name, credit, without, line.messages());
    }

    @Override
    public void granted(int messages) {
        Broken.unless(loop.isCurrent() && messages > 0, "%s was granted %d messages", name, messages);
        credit += messages;
    }

    @Override
    public void revoked(int messages) {
        Broken.unless(loop.isCurrent() && messages > 0, "%d messages of %s were revoked", messages, name);
        credit -= messages;
    }
}
