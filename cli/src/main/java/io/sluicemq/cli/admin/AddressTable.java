package io.sluicemq.cli.admin;

import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lists addresses in columns as wide as what is in them. Stateless. */
final class AddressTable {

    private static final List<String> HEADING = List.of(
            "VIRTUAL HOST", "ADDRESS", "KIND", "BYTES", "LIMIT", "MESSAGES", "LIMIT", "POLICY", "WAITING", "DROPPED",
            "REFUSED");

    /** The columns with numbers, whose values stand at their right. */
    private static final List<Integer> NUMBERS = List.of(3, 4, 5, 6, 8, 9, 10);

    private AddressTable() {}

    static List<String> lines(AddressAnswer answer) {
        if (answer.addresses().isEmpty()) {
            return List.of("There are no addresses.");
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADING);
        answer.addresses().forEach(state -> rows.add(row(state)));
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width = rows.stream().mapToInt(each -> each.get(at).length()).max().orElse(0);
                String padding = " ".repeat(width - row.get(column).length());
                line.append(NUMBERS.contains(column) ? padding + row.get(column) : row.get(column) + padding)
                        .append("  ");
            }
            lines.add(Units.plain(line.toString().stripTrailing()));
        }
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
