package io.sluicemq.cli.operate;

import io.sluicemq.base.option.Nearest;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** {@code sluicemq get}: lists what there is. Runs on the thread of the command line. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "List queues, exchanges, bindings, connections and more.",
        footer = {
            "",
            "  sluicemq get queues --sort depth --reverse --limit 10",
            "  sluicemq get queue orders -o yaml",
            "  sluicemq get connections --filter 10.1.2. -o wide",
            "  sluicemq get bindings orders             those that lead to a queue",
            "  sluicemq get events slow_consumer"
        })
public final class GetCommand implements Callable<Integer> {

    private static final List<String> EVENTS = List.of(
            "connection_opened", "connection_closed", "connection_forced", "slow_consumer", "limit_reached", "shortage",
            "reloaded", "act");
    private static final String EXPECTED = "expected one of ";

    /** Short words for columns that one often sorts by. */
    private static final Map<String, String> COLUMNS = Map.of(
            "depth", "messages",
            "bytes", "message_bytes",
            "age", "oldest_message_age_ms",
            "in", "message_stats.publish_details.rate",
            "out", "message_stats.deliver_get_details.rate",
            "waiting", "waiting_producers");

    /** Offers the short words, and the column that all kinds have. */
    static final class SortWords implements Iterable<String> {

        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Stream.of("name"), COLUMNS.keySet().stream().sorted()).iterator();
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "KIND", converter = KindWord.class, completionCandidates = KindWord.class,
            description = "${COMPLETION-CANDIDATES}.")
    private Kind kind;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME",
            description = "One alone; for bindings and consumers a queue, for events their kind.")
    private String name;

    @Option(names = "--filter", paramLabel = "TEXT", description = "Only those with this in their name.")
    private String filter;

    @Option(names = "--regex", description = "The filter is a regular expression.")
    private boolean regex;

    @Option(names = "--sort", paramLabel = "COLUMN", completionCandidates = SortWords.class,
            description = "By a column as -o json has it; also depth, bytes, age, in, out, waiting.")
    private String sort;

    @Option(names = "--reverse", description = "The largest first.")
    private boolean reverse;

    @Option(names = "--limit", paramLabel = "N", description = "No more than so many (default: all).")
    private Long limit;

    @Option(names = {"-A", "--all-vhosts"}, description = "Those of all virtual hosts.")
    private boolean allHosts;

    @Mixin
    private OutputForm output;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        if (limit != null && limit < 1) {
            throw new ParameterException(spec.commandLine(), "--limit is " + limit + ": expected at least 1");
        }
        if (regex && filter == null) {
            throw new ParameterException(spec.commandLine(), "--regex says how --filter is meant, which is missing");
        }
        if (reverse && sort == null && kind.isPaged()) {
            throw new ParameterException(spec.commandLine(), "--reverse says how to sort, but --sort is missing");
        }
        return broker.ask(this::get);
    }

    private int get(Api api) {
        if (name != null) {
            List<JsonNode> found = named(api);
            // One thing by its name is an object for programs, what there may be many of is a list.
            boolean single = kind != Kind.BINDINGS && kind != Kind.CONSUMERS && kind != Kind.EVENTS
                    && kind != Kind.ADDRESSES;
            output.print(single ? found.getFirst() : array(found), table(found));
            return 0;
        }
        long most = limit == null ? Long.MAX_VALUE : limit;
        Api.Listed found = kind.isPaged() ? paged(api, most) : few(api, most);
        output.print(array(found.items()), table(found.items()));
        if (found.all() > found.items().size()) {
            spec.commandLine().getErr().println(
                    found.items().size() + " of " + found.all() + " " + kind.many() + " are shown.");
        } else if (found.items().isEmpty() && !output.isStructured()) {
            spec.commandLine().getErr().println("There are no " + kind.many()
                    + (filter == null ? "" : " with that in their names")
                    + (allHosts || !kind.isPaged() ? "." : " in virtual host " + api.virtualHost() + "."));
        }
        return 0;
    }

    private Api.Listed paged(Api api, long most) {
        Map<String, String> query = new LinkedHashMap<>();
        if (filter != null) {
            query.put("name", filter);
            query.put("use_regex", Boolean.toString(regex));
        }
        if (sort != null) {
            query.put("sort", COLUMNS.getOrDefault(sort, sort));
        }
        if (reverse) {
            query.put("sort_reverse", "true");
        }
        try {
            return api.list(allHosts ? kind.listPath() : kind.listPath(api.virtualHost()), query, most);
        } catch (ApiRefused e) {
            throw sort != null && e.getMessage().startsWith("sort is '") ? noSuchColumn(e) : e;
        }
    }

    /** The same refusal of a column to sort by, with the one that was probably meant. */
    private ApiRefused noSuchColumn(ApiRefused refused) {
        List<String> known =
                new ArrayList<>(kind == Kind.QUEUES ? COLUMNS.keySet().stream().sorted().toList() : List.of());
        String words = refused.getMessage();
        int list = words.indexOf(EXPECTED);
        if (list >= 0) {
            known.addAll(List.of(words.substring(list + EXPECTED.length()).split(", ")));
        }
        return new ApiRefused(refused.status(), words
                + (kind == Kind.QUEUES
                        ? "; or " + COLUMNS.keySet().stream().sorted().collect(Collectors.joining(", "))
                        : "")
                + Nearest.of(sort, known).map(nearest -> "; did you mean " + nearest + "?").orElse(""));
    }

    /** Those of a kind that is named; a wrong one is answered with those there are. */
    private List<JsonNode> named(Api api) {
        try {
            return kind.named(api, name);
        } catch (ApiRefused e) {
            if (kind != Kind.EVENTS || e.status() != 400) {
                throw e;
            }
            throw new ApiRefused(e.status(), e.getMessage() + ": expected one of " + String.join(", ", EVENTS)
                    + Nearest.of(name, EVENTS).map(nearest -> ", did you mean " + nearest + "?").orElse(""));
        }
    }

    /** Things of which the broker gives all at a time. */
    private Api.Listed few(Api api, long most) {
        if (regex) {
            throw new ParameterException(spec.commandLine(), kind.many() + " are not found by regular expressions");
        }
        Map<String, String> query = kind == Kind.EVENTS ? Map.of("count", "10000") : Map.of();
        List<JsonNode> found = new ArrayList<>(Kind.list(api.get(kind.listPath(), query)));
        if (filter != null) {
            String key = kind == Kind.EVENTS ? "subject" : "name";
            found.removeIf(each -> !each.path(key).asString("").toLowerCase(Locale.ROOT)
                    .contains(filter.toLowerCase(Locale.ROOT)));
        }
        if (sort != null) {
            String column = COLUMNS.getOrDefault(sort, sort);
            if (!found.isEmpty() && found.stream().allMatch(each -> Cell.at(each, column).isMissingNode())) {
                throw new ParameterException(spec.commandLine(), kind.many() + " have no column '" + sort + "'");
            }
            found.sort(Comparator.comparing(each -> Cell.at(each, column), GetCommand::compare));
        }
        if (reverse) {
            found = found.reversed();
        }
        int all = found.size();
        return new Api.Listed(found.subList(0, (int) Math.min(all, most)), all);
    }

    private static int compare(JsonNode a, JsonNode b) {
        return a.isNumber() && b.isNumber()
                ? Double.compare(a.asDouble(), b.asDouble())
                : Cell.text(a).compareTo(Cell.text(b));
    }

    private static ArrayNode array(List<JsonNode> items) {
        ArrayNode array = Structured.array();
        items.forEach(array::add);
        return array;
    }

    private Table table(List<JsonNode> items) {
        List<Kind.Shown> shown = new ArrayList<>();
        if (allHosts && kind.isPaged()) {
            String host = kind == Kind.CONSUMERS ? "queue.vhost" : "vhost";
            shown.add(new Kind.Shown(Table.Column.text("VHOST"), false, Cell.text(host)));
        }
        shown.addAll(kind.shown(output.isWide()));
        Table table = new Table(shown.stream().map(Kind.Shown::column).toList());
        items.forEach(each -> table.add(shown.stream().map(column -> column.value().apply(each)).toList()));
        return table;
    }
}
