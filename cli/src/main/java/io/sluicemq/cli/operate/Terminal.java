package io.sluicemq.cli.operate;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The terminal that a command was started from. All of it is asked by {@code stty}, as there is no other way that needs no library. Used by the
 * thread of the command line; what it has changed is set right at the end of the process, too.
 */
final class Terminal {

    static final int USUAL_ROWS = 24;
    static final int USUAL_COLUMNS = 80;

    private final String before;
    private final Thread atEnd = new Thread(this::restore, "sluicemq-terminal");

    private Terminal(String before) {
        this.before = before;
    }

    /** How large it is. */
    record Size(int rows, int columns) {}

    /** Whether there is one, and what a command prints goes there. */
    static boolean isThere() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Has keys come one by one and unseen; null where that can't be said to the terminal, which then waits for Enter. */
    static Terminal byKeys() {
        String before = stty("-g");
        if (before == null || before.isBlank() || stty("-icanon", "-echo", "min", "1") == null) {
            return null;
        }
        Terminal terminal = new Terminal(before.strip());
        Runtime.getRuntime().addShutdownHook(terminal.atEnd);
        return terminal;
    }

    static Size size() {
        String size = stty("size");
        if (size != null && size.strip().matches("\\d{1,5} \\d{1,5}")) {
            String[] both = size.strip().split(" ");
            if (Integer.parseInt(both[0]) > 0 && Integer.parseInt(both[1]) > 0) {
                return new Size(Integer.parseInt(both[0]), Integer.parseInt(both[1]));
            }
        }
        return new Size(USUAL_ROWS, USUAL_COLUMNS);
    }

    /** Has it as it was before. */
    void close() {
        restore();
        Runtime.getRuntime().removeShutdownHook(atEnd);
    }

    private void restore() {
        stty(before);
    }

    /** What it says; null if there is no such program, or it refuses. */
    private static String stty(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "stty";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0 ? said : null;
        } catch (IOException e) {
            return null; // no such program here
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
