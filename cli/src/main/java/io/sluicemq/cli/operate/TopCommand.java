package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiUnreachable;
import io.sluicemq.cli.http.BrokerAccess;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sluicemq top}: shows what is busiest, again and again, until it is told to end. Runs on the thread of the command line; a thread of its
 * own waits for keys.
 */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Show the busiest queues or connections, live.",
        footer = {
            "",
            "On a terminal it fills the screen until q or Ctrl-C; elsewhere it prints a table each time.",
            "",
            "  sluicemq top",
            "  sluicemq top queues --by depth",
            "  sluicemq top connections --once"
        })
public final class TopCommand implements Callable<Integer> {

    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND", defaultValue = "queues",
            description = "queues or connections (default: ${DEFAULT-VALUE}).")
    private String kind;

    @Option(names = "--by", paramLabel = "WHAT",
            description = "What is largest: in (default), out, depth, bytes, age or waiting; of connections in or out.")
    private String by = "in";

    @Option(names = "--limit", paramLabel = "N", description = "So many (default: as the screen has room, or 20).")
    private Integer limit;

    @Option(names = "--interval", paramLabel = "SECONDS", defaultValue = "2",
            description = "How long until it looks again (default: ${DEFAULT-VALUE}).")
    private double interval;

    @Option(names = "--once", description = "Look once, and end.")
    private boolean once;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        TopView view = switch (kind) {
            case "queues", "queue", "q" -> TopView.queues(by);
            case "connections", "connection", "conn" -> TopView.connections(by);
            default -> throw wrong("there is no top of '" + kind + "': expected queues or connections");
        };
        if (view == null) {
            throw wrong(
                    "--by is '" + by + "': expected in, out, depth, bytes, age or waiting; of connections in or out");
        }
        if (!(interval >= 0.1 && interval <= 3600)) {
            throw wrong("--interval is " + interval + ": expected 0.1 to 3600 seconds");
        }
        if (limit != null && (limit < 1 || limit > 500)) {
            throw wrong("--limit is " + limit + ": expected 1 to 500");
        }
        return broker.ask(api -> once || !Terminal.isThere() ? plain(api, view) : live(api, view));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** For what is no terminal: lines, again and again. */
    private int plain(Api api, TopView view) {
        PrintWriter out = spec.commandLine().getOut();
        try {
            if (once && view.needsTwoLooks()) {
                view.look(api, rows(TopView.USUAL_ROWS));
                TimeUnit.MILLISECONDS.sleep(millis());
            }
            while (true) {
                view.look(api, rows(TopView.USUAL_ROWS)).forEach(out::println);
                out.flush();
                if (once || out.checkError()) {
                    return 0; // nobody reads it any more
                }
                TimeUnit.MILLISECONDS.sleep(millis());
                out.println();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } catch (ApiUnreachable e) {
            if (Thread.currentThread().isInterrupted()) {
                return 0; // told to end while it looked
            }
            throw e;
        }
    }

    private long millis() {
        return Math.round(interval * 1000);
    }

    private int rows(int room) {
        return limit == null ? Math.max(1, room) : limit;
    }

    /** For a terminal: a screen that is written over. */
    private int live(Api api, TopView view) {
        PrintWriter out = spec.commandLine().getOut();
        Style style = Style.ofTerminal();
        SynchronousQueue<Integer> keys = new SynchronousQueue<>();
        Thread reader = new Thread(() -> read(System.in, keys), "sluicemq-keys");
        reader.setDaemon(true);
        Thread atEnd = new Thread(() -> leave(out), "sluicemq-screen");
        Runtime.getRuntime().addShutdownHook(atEnd);
        Terminal terminal = Terminal.byKeys();
        try {
            reader.start();
            out.print(ENTER);
            while (true) {
                Terminal.Size size = Terminal.size();
                List<String> lines = frame(api, view, size);
                out.print(HOME);
                out.print(screen(lines, size, style));
                out.flush();
                Integer key = keys.poll(millis(), TimeUnit.MILLISECONDS);
                if (key != null && (key == 'q' || key == 'Q' || key < 0)) {
                    return 0;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            leave(out);
            if (terminal != null) {
                terminal.close();
            }
            Runtime.getRuntime().removeShutdownHook(atEnd);
        }
    }

    /** A broker that restarts is no reason to end. */
    private List<String> frame(Api api, TopView view, Terminal.Size size) {
        try {
            return view.look(api, rows(size.rows() - TopView.HEADING_LINES - 1));
        } catch (ApiUnreachable e) {
            return List.of(e.getMessage(), "trying again; q ends");
        }
    }

    /** Lines cut to the size of a screen. */
    static String screen(List<String> lines, Terminal.Size size, Style style) {
        StringBuilder screen = new StringBuilder();
        for (int i = 0; i < Math.min(lines.size(), size.rows() - 1); i++) {
            String line = lines.get(i);
            int points = line.codePointCount(0, line.length());
            String cut = points > size.columns() ? line.substring(0, line.offsetByCodePoints(0, size.columns())) : line;
            screen.append(i == 0 ? style.bold(cut) : i == TopView.HEADING_LINES - 1 ? style.reversed(cut) : cut)
                    .append(REST_OF_LINE)
                    .append("\n");
        }
        return screen.append(REST_OF_SCREEN).toString();
    }

    private static void leave(PrintWriter out) {
        out.print(LEAVE);
        out.flush();
    }

    private static void read(InputStream in, SynchronousQueue<Integer> keys) {
        try {
            int key;
            do {
                key = in.read();
                keys.put(key);
            } while (key >= 0);
        } catch (IOException e) {
            return; // no more keys: Ctrl-C ends it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
