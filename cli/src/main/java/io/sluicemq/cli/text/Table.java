package io.sluicemq.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows in columns as wide as what is in them; those of numbers stand at their right. What is put in is made {@linkplain Printable
 * printable}. For one thread.
 */
public final class Table {

    private static final String GAP = "  ";

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    /** A column's heading, and whether numbers are in it. */
    public record Column(String title, boolean number) {

        public static Column text(String title) {
            return new Column(title, false);
        }

        public static Column number(String title) {
            return new Column(title, true);
        }
    }

    public Table(List<Column> columns) {
        this.columns = List.copyOf(columns);
        this.rows.add(this.columns.stream().map(Column::title).toList());
    }

    /** @param cells one for each column */
    public void add(List<String> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException(cells.size() + " cells for " + columns.size() + " columns");
        }
        rows.add(cells.stream().map(Printable::text).toList());
    }

    /** The heading and a line for each row. */
    public List<String> lines() {
        int[] widths = new int[columns.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        List<String> lines = new ArrayList<>(rows.size());
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String padding = " ".repeat(widths[i] - width(row.get(i)));
                line.append(columns.get(i).number() ? padding + row.get(i) : row.get(i) + padding).append(GAP);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
