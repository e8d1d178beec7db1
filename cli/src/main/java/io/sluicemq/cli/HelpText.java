package io.sluicemq.cli;

import io.sluicemq.cli.http.BrokerAccess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * How {@code --help} is laid out: first what is a command's own, then by which options it finds the broker, which are alike everywhere; what is
 * said below is wrapped as one text, and its examples are left as they are. Stateless; runs on the thread of the command line.
 */
public final class HelpText {

    private HelpText() {}

    /** Has a command and those below it show their help so. */
    public static CommandLine of(CommandLine command) {
        Map<String, IHelpSectionRenderer> sections = new LinkedHashMap<>(command.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpText::options);
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpText::footer);
        command.setHelpSectionMap(sections);
        abbreviate(command);
        return command;
    }

    /** So many options would hide what a command is given. */
    private static void abbreviate(CommandLine command) {
        if (command.getCommandSpec().options().stream().anyMatch(BrokerAccess::isOne)) {
            command.getCommandSpec().usageMessage().abbreviateSynopsis(true);
        }
        command.getSubcommands().values().forEach(HelpText::abbreviate);
    }

    private static String options(Help help) {
        CommandSpec command = help.commandSpec();
        Comparator<OptionSpec> general = Comparator.comparing(option -> option.usageHelp() || option.versionHelp());
        List<OptionSpec> own = shown(command).filter(option -> !BrokerAccess.isOne(option)).sorted(general).toList();
        List<OptionSpec> access = shown(command).filter(BrokerAccess::isOne).toList();
        return list(help, own)
                + (access.isEmpty() ? "" : "%nWhich broker, and who asks:%n".formatted() + list(help, access));
    }

    private static Stream<OptionSpec> shown(CommandSpec command) {
        return command.options().stream().filter(option -> !option.hidden());
    }

    private static String list(Help help, List<OptionSpec> options) {
        CommandSpec command = help.commandSpec();
        // Made for all of them, so that both lists and the parameters are in line.
        Help.Layout layout = help.createDefaultLayout(
                command.options(), command.positionalParameters(), help.colorScheme());
        layout.addOptions(options, help.parameterLabelRenderer());
        return layout.toString();
    }

    private static String footer(Help help) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        StringBuilder text = new StringBuilder();
        List<String> paragraph = new ArrayList<>();
        for (String line : usage.footer()) {
            if (line.isEmpty() || line.startsWith(" ")) {
                end(paragraph, usage.width(), text);
                text.append(line).append(System.lineSeparator());
            } else {
                paragraph.add(line);
            }
        }
        end(paragraph, usage.width(), text);
        return text.toString();
    }

    /** Adds a paragraph in lines of the width. */
    private static void end(List<String> paragraph, int width, StringBuilder text) {
        StringBuilder line = new StringBuilder();
        for (String word : String.join(" ", paragraph).split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() >= width) {
                text.append(line).append(System.lineSeparator());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (!line.isEmpty()) {
            text.append(line).append(System.lineSeparator());
        }
        paragraph.clear();
    }
}
