package io.sluicemq.cli.admin;

import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.cli.text.Table;
import io.sluicemq.cli.text.Table.Column;
import io.sluicemq.cli.text.Units;
import java.util.List;
import java.util.Locale;

/** Lists addresses in columns as wide as what is in them. Stateless. */
final class AddressTable {

    private static final List<Column> COLUMNS = List.of(
            Column.text("VIRTUAL HOST"), Column.text("ADDRESS"), Column.text("KIND"), Column.number("BYTES"),
            Column.number("LIMIT"), Column.number("MESSAGES"), Column.number("LIMIT"), Column.text("POLICY"),
            Column.number("WAITING"), Column.number("DROPPED"), Column.number("REFUSED"));

    private AddressTable() {}

    static List<String> lines(AddressAnswer answer) {
        if (answer.addresses().isEmpty()) {
            return List.of("There are no addresses.");
        }
        Table table = new Table(COLUMNS);
        answer.addresses().forEach(state -> table.add(row(state)));
        List<String> lines = table.lines();
        if (answer.leftOff() > 0) {
            lines.add("… and " + answer.leftOff() + " more");
        }
        return lines;
    }

    private static List<String> row(AddressState state) {
        AddressLimits limits = state.limits();
        // As in what `why` says: with page the others limit what is in memory, and the address may hold more.
        boolean pages = limits.policy() == FullPolicy.PAGE;
        return List.of(
                state.virtualHost(),
                state.address(),
                state.kind(),
                Units.bytes(state.usedBytes()),
                Units.limitBytes(pages ? limits.pageLimitBytes() : limits.maxBytes()),
                Long.toString(state.usedMessages()),
                Units.limitCount(pages ? AddressLimits.NONE : limits.maxMessages()),
                limits.policy().name().toLowerCase(Locale.ROOT),
                Integer.toString(state.waiting().size()),
                Long.toString(state.droppedMessages()),
                Long.toString(state.refusedMessages()));
    }
}
