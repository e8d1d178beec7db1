package io.sluicemq.server;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the command line does, as a process: arguments such as {@code port=0}. */
final class ServeMain {

    private ServeMain() {}

    public static void main(String[] args) {
        Map<String, String> given = Stream.of(args)
                .map(argument -> argument.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        ServeOptions options = new ServeOptions(
                path(given.get("config")),
                path(given.get("data")),
                given.get("host"),
                number(given.get("port")),
                number(given.get("loops")),
                List.of("http.port=0"),
                System.getenv());
        System.exit(Serve.run(options, new PrintWriter(System.out, true), new PrintWriter(System.err, true)));
    }

    private static Path path(String text) {
        return text == null ? null : Path.of(text);
    }

    private static Integer number(String text) {
        return text == null ? null : Integer.valueOf(text);
    }
}
