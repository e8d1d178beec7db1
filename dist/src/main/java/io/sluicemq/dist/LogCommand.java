package io.sluicemq.dist;

import io.sluicemq.server.InspectLog;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code sluicemq log verify} and {@code sluicemq log dump}: look into the log of a broker that is stopped. Run on the main
 * thread; change nothing.
 *
 * <p>Exit codes: 0 the log is whole, 1 something is damaged, 2 a wrong option, or there is no log that could be read.
 */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = "Look into the log of a broker that is stopped.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "DIR is the data folder that 'sluicemq serve --data' was given, or one that holds .log files.",
            "A broker can't start on the folder meanwhile. Nothing in it is changed.",
            "",
            "  sluicemq log verify data",
            "  sluicemq log dump data --from 0x4000000",
            "",
            "'sluicemq log COMMAND --help' lists the options of a command; docs/storage.md explains the files."
        })
final class LogCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing: verify or dump");
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Check every record and every checkpoint.",
            footer = {
                "",
                "Prints a line for each file, and for each damage the file and the offset in it.",
                "Exit codes: 0 the log is whole, 1 something is damaged or missing, 2 there is no log that could be read.",
                "",
                "  sluicemq log verify data"
            })
    int verify(@Parameters(paramLabel = "DIR", description = "The data folder, or one with .log files.") Path folder) {
        return InspectLog.verify(
                folder, spec.commandLine().getOut(), spec.commandLine().getErr());
    }

    @Command(
            name = "dump",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Print a line for each record: position, type, length.",
            footer = {
                "",
                "A position is a byte position in the whole log; a segment's name is its first one, in hexadecimal.",
                "It goes on behind damage with the next segment. Exit codes as of verify, for what was read.",
                "",
                "  sluicemq log dump data",
                "  sluicemq log dump data --from 0x4000000 --payload"
            })
    int dump(
            @Parameters(paramLabel = "DIR", description = "The data folder, or one with .log files.") Path folder,
            @Option(
                    names = "--from",
                    paramLabel = "POSITION",
                    defaultValue = "0",
                    converter = Position.class,
                    description = "Begin here; decimal, or hexadecimal after 0x (default: 0).") long from,
            @Option(names = "--payload",
                    description = "Print the payload of each record, too, in hexadecimal.") boolean payload) {
        return InspectLog.dump(
                folder, from, payload, spec.commandLine().getOut(), spec.commandLine().getErr());
    }

    /** Reads a position. No octal numbers: the names of segments begin with zeros. */
    static final class Position implements ITypeConverter<Long> {

        @Override
        public Long convert(String text) {
            if (text.matches("0x[0-9a-fA-F]{1,15}")) {
                return Long.parseLong(text.substring(2), 16);
            }
            if (text.matches("\\d{1,18}")) {
                return Long.parseLong(text);
            }
            throw new TypeConversionException(
                    "'" + text + "' is no position: expected a decimal number, or a hexadecimal one after 0x");
        }
    }
}
