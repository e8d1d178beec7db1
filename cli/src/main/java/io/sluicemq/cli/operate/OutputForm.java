package io.sluicemq.cli.operate;

import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import tools.jackson.databind.JsonNode;

/** In what form a command prints what it has found. Used by the thread of the command line. */
final class OutputForm {

    enum Form {
        TABLE, WIDE, JSON, YAML;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(names = {"-o", "--output"}, paramLabel = "FORM", defaultValue = "table", order = 90,
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Form form;

    boolean isWide() {
        return form == Form.WIDE;
    }

    /** Whether programs are to read it. */
    boolean isStructured() {
        return form == Form.JSON || form == Form.YAML;
    }

    void print(JsonNode json) {
        out().println(form == Form.YAML ? Structured.yaml(json) : Structured.json(json));
    }

    /** Prints for programs or for people, as was asked for. */
    void print(JsonNode json, Supplier<List<String>> lines) {
        if (isStructured()) {
            print(json);
        } else {
            lines.get().forEach(out()::println);
        }
    }

    void print(JsonNode json, Table table) {
        print(json, table::lines);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
