package io.sluicemq.server;

import io.sluicemq.base.option.Problem;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.EffectiveConfig;
import io.sluicemq.server.config.Explanation;
import io.sluicemq.server.config.JsonSchema;
import io.sluicemq.server.config.ServerOptions;
import java.io.PrintWriter;

/** What {@code sluicemq config} does: looks at a configuration without starting a broker. Runs on the thread of the command line. */
public final class InspectConfig {

    private static final int EXIT_USAGE = 2;

    private InspectConfig() {}

    /** Reads a configuration, and the files that it names, as a start would; returns 0 if it is valid, 2 if not. */
    public static int check(ServeOptions options, PrintWriter out, PrintWriter err) {
        return read(options, err, reading -> out.println(options.config() == null
                ? "No file was named by --config: the defaults, with what options and variables say, are valid."
                : options.config() + " is valid."));
    }

    /** Prints all that it comes to; returns as {@link #check}. */
    public static int showEffective(ServeOptions options, PrintWriter out, PrintWriter err) {
        return read(options, err, reading -> {
            out.print(EffectiveConfig.of(reading.settings(), Serve.OPTIONS));
            out.flush();
        });
    }

    /** Prints what a key is; returns 2 if there is none. */
    public static int explain(String key, PrintWriter out, PrintWriter err) {
        try {
            out.print(Explanation.of(key));
            out.flush();
            return 0;
        } catch (ConfigException e) {
            return refuse(e, err);
        }
    }

    /** Prints the JSON Schema of the file. */
    public static int schema(PrintWriter out) {
        out.print(JsonSchema.of(ServerOptions.ROOT));
        out.flush();
        return 0;
    }

    private interface Use {
        void of(ConfigSource.Reading reading);
    }

    private static int read(ServeOptions options, PrintWriter err, Use use) {
        try {
            use.of(Serve.source(options).read());
            return 0;
        } catch (ConfigException e) {
            return refuse(e, err);
        }
    }

    private static int refuse(ConfigException e, PrintWriter err) {
        e.problems().stream().map(Problem::toString).forEach(err::println);
        err.flush();
        return EXIT_USAGE;
    }
}
