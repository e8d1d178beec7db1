package io.sluicemq.protocol.amqp10.terminus;

import java.util.Arrays;
import java.util.List;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;

/** The outcomes of a source's deliveries (part 3, §3.5.3): all four, or those of them that are asked for. */
final class Outcomes {

    private static final List<Symbol> ALL = List.of(
            Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL,
            Modified.DESCRIPTOR_SYMBOL);

    private Outcomes() {}

    /** Answers what a source asks for. */
    static void answer(Source wanted, Source answer) {
        Symbol[] asked = wanted.getOutcomes() == null ? new Symbol[0] : wanted.getOutcomes();
        Symbol[] known = Arrays.stream(asked).filter(ALL::contains).toArray(Symbol[]::new);
        answer.setOutcomes(known.length == 0 ? ALL.toArray(Symbol[]::new) : known);
        Outcome outcome = wanted.getDefaultOutcome();
        boolean offered = outcome instanceof Accepted
                || outcome instanceof Rejected
                || outcome instanceof Released
                || outcome instanceof Modified;
        answer.setDefaultOutcome(offered ? outcome : Released.getInstance());
    }
}
