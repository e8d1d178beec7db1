package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Reads YAML (1.2) by a {@link Section}. It walks the composed nodes, not constructed objects, so that every value keeps its
 * line and column and its text as written: a password {@code 007} stays three characters. It goes on after a problem, to tell
 * all of them at once. One reader reads one text, on the caller's thread.
 */
public final class YamlReader {

    private final String source;
    private final List<Problem> problems;

    private YamlReader(String source, List<Problem> problems) {
        this.source = source;
        this.problems = problems;
    }

    /**
     * Reads a file by {@code root}. What is wrong with it is added to {@code problems}, in the order of the file; the settings
     * hold what is right.
     */
    public static Settings read(Path file, Section root, List<Problem> problems) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            Place place = Place.of(file.toString());
            problems.add(Problem.of(place, "", unreadable(file, e)));
            return new Settings(root, place);
        }
        return read(text, file.toString(), root, problems);
    }

    /** As {@link #read(Path, Section, List)} for text at hand; errors name {@code source}. */
    public static Settings read(String text, String source, Section root, List<Problem> problems) {
        return new YamlReader(source, problems).readRoot(text, root);
    }

    /**
     * Reads what one entry holds that is no option, in place of what its list held until now, or in addition to what is in its
     * section.
     *
     * @param path the entry's key with those of the sections around it
     * @param settings of the section that the entry is in
     */
    static void readInto(
            String text, String source, String path, Entry entry, Settings settings, List<Problem> problems) {
        YamlReader reader = new YamlReader(source, problems);
        Node node = reader.compose(text).orElse(null);
        if (node == null) {
            return;
        }
        Place place = Place.of(source);
        switch (entry) {
            case Option<?> option -> reader.readOption(node, path, option, settings);
            case Section inner -> reader.readInner(node, path, inner, settings, place);
            case NamedSections named -> reader.readNamed(node, path, named, settings, place);
            case SectionList list -> {
                settings.remove(list);
                reader.readList(node, path, list, settings);
            }
        }
    }

    private static String unreadable(Path file, IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no such file";
            case CharacterCodingException encoding -> "it is not UTF-8 text";
            case AccessDeniedException denied -> "there is no permission to read it";
            default -> Files.isDirectory(file) ? "it is a folder, not a file" : "it can't be read: " + e.getMessage();
        };
    }

    private Settings readRoot(String text, Section root) {
        Settings settings = new Settings(root, new Place(source, 1, 1));
        Optional<Node> node = compose(text);
        if (node.isPresent() && !isNothing(node.get())) {
            if (node.get() instanceof MappingNode mapping) {
                readSection(mapping, "", root, settings);
            } else {
                String expected = "keys and values, such as 'loops: 4'";
                problems.add(Problem.wrongShape(place(node.get()), "the file", found(node.get()), expected));
            }
        }
        return settings;
    }

    /** Empty if there is nothing, or, with a problem, if it is no YAML. */
    private Optional<Node> compose(String text) {
        // Other keys than words are let in here, to be refused with all else that is wrong.
        LoadSettings load = LoadSettings.builder()
                .setLabel(source)
                .setSchema(new CoreSchema())
                .setAllowNonScalarKeys(true)
                .build();
        Place start = new Place(source, 1, 1);
        try {
            return new Compose(load).composeString(text);
        } catch (MarkedYamlEngineException e) {
            Place place = e.getProblemMark().or(e::getContextMark).map(this::place).orElse(start);
            problems.add(Problem.of(place, "", "this is not YAML: " + oneLine(e.getProblem()) + hint(e)));
        } catch (YamlEngineException e) {
            problems.add(Problem.of(start, "", "this is not YAML: " + oneLine(e.getMessage())));
        }
        return Optional.empty();
    }

    private void readSection(MappingNode mapping, String prefix, Section section, Settings settings) {
        Map<String, Place> seen = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = readKey(tuple.getKeyNode(), prefix, seen);
            if (key == null) {
                continue;
            }
            Optional<Entry> entry = section.find(key);
            if (entry.isEmpty()) {
                problems.add(Problem.unknownKey(place(tuple.getKeyNode()), prefix, key, section.keys()));
                continue;
            }
            String path = prefix.isEmpty() ? key : prefix + "." + key;
            Place place = place(tuple.getKeyNode());
            Node value = tuple.getValueNode();
            switch (entry.get()) {
                case Option<?> option -> readOption(value, path, option, settings);
                case Section inner -> readInner(value, path, inner, settings, place);
                case NamedSections named -> readNamed(value, path, named, settings, place);
                case SectionList list -> readList(value, path, list, settings);
            }
        }
        RequiredOptions.checkOne(prefix, settings, seen.keySet(), problems);
    }

    /** The key's text, or null if it is no key or was given before. */
    private String readKey(Node node, String prefix, Map<String, Place> seen) {
        if (!(node instanceof ScalarNode scalar)) {
            problems.add(Problem.wrongShape(place(node), prefix.isEmpty() ? "a key" : "a key in " + prefix, found(node),
                    "a word"));
            return null;
        }
        String key = scalar.getValue();
        Place first = seen.putIfAbsent(key, place(node));
        if (first != null) {
            String path = path(prefix, key);
            problems.add(Problem.of(place(node), path, path + " is given twice, first in line " + first.line()));
            return null;
        }
        return key;
    }

    private <T> void readOption(Node node, String path, Option<T> option, Settings settings) {
        try {
            if (node instanceof ScalarNode scalar && !isNothing(node) && option.type().element() == null) {
                settings.set(option, option.parse(scalar.getValue()), place(node));
            } else if (node instanceof SequenceNode sequence && option.type().element() != null) {
                List<Object> elements = readElements(sequence, path, option);
                if (elements.size() == sequence.getValue().size()) {
                    settings.set(option, option.type().ofElements(elements), place(node));
                }
            } else {
                problems.add(Problem.wrongShape(place(node), path, found(node), option.expected()));
            }
        } catch (InvalidValue e) {
            String value = ((ScalarNode) node).getValue();
            problems.add(Problem.invalidValue(place(node), path, option, value, e.expected()));
        }
    }

    /** Reads those elements that are valid. */
    private List<Object> readElements(SequenceNode sequence, String path, Option<?> option) {
        OptionType<?> type = option.type().element();
        List<Object> elements = new ArrayList<>();
        for (Node node : sequence.getValue()) {
            if (!(node instanceof ScalarNode scalar) || isNothing(node)) {
                String subject = "an element of " + path;
                problems.add(Problem.wrongShape(place(node), subject, found(node), type.description()));
                continue;
            }
            try {
                elements.add(type.parse(scalar.getValue()));
            } catch (InvalidValue e) {
                problems.add(Problem.invalidValue(place(node), path, option, scalar.getValue(), e.expected()));
            }
        }
        return elements;
    }

    private void readInner(Node node, String path, Section inner, Settings settings, Place place) {
        if (node instanceof MappingNode mapping) {
            readSection(mapping, path, inner, settings.enter(inner, place));
        } else if (!isNothing(node)) {
            problems.add(Problem.wrongShape(place(node), path, found(node), "a section with keys of its own"));
        }
    }

    private void readNamed(Node node, String path, NamedSections named, Settings settings, Place place) {
        if (!(node instanceof MappingNode mapping)) {
            if (!isNothing(node)) {
                problems.add(Problem.wrongShape(place(node), path, found(node), "a section for each name"));
            }
            return;
        }
        Map<String, Place> seen = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String name = readKey(tuple.getKeyNode(), path, seen);
            if (name == null) {
                continue;
            }
            Place where = place(tuple.getKeyNode());
            Node value = tuple.getValueNode();
            String itemPath = path + "." + name;
            try {
                named.name().parse(name);
            } catch (InvalidValue e) {
                problems.add(Problem.of(where, path, "'" + name + "' in " + path + ": expected " + e.expected()));
                continue;
            }
            Settings item = settings.enter(named, name, where);
            if (value instanceof MappingNode inner) {
                readSection(inner, itemPath, named.item(), item);
            } else if (!isNothing(value)) {
                problems.add(
                        Problem.wrongShape(place(value), itemPath, found(value), "a section with keys of its own"));
            }
        }
    }

    private void readList(Node node, String path, SectionList list, Settings settings) {
        if (!(node instanceof SequenceNode sequence)) {
            if (!isNothing(node)) {
                problems.add(Problem.wrongShape(place(node), path, found(node), "a list, each element after a '- '"));
            }
            return;
        }
        Map<String, Place> seen = new HashMap<>();
        int index = 0;
        for (Node element : sequence.getValue()) {
            String itemPath = path + "[" + index++ + "]";
            if (!(element instanceof MappingNode mapping)) {
                problems.add(
                        Problem.wrongShape(place(element), itemPath, found(element), "a section with keys of its own"));
                continue;
            }
            Settings item = settings.add(list, place(element));
            readSection(mapping, itemPath, list.item(), item);
            item.find(list.identity()).ifPresent(name -> {
                Place here = item.place(list.identity());
                Place first = seen.putIfAbsent(name, here);
                if (first != null) {
                    problems.add(Problem.of(here, itemPath, list.key() + " has '" + name + "' twice, first in line "
                            + first.line()));
                }
            });
        }
    }

    private static String path(String prefix, String key) {
        return prefix.isEmpty() ? key : prefix + "." + key;
    }

    /** Whether this is what YAML makes of no value at all, or of {@code null}. */
    private static boolean isNothing(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private static String found(Node node) {
        return switch (node) {
            case ScalarNode scalar when isNothing(scalar) -> "empty";
            case ScalarNode scalar -> "a single value";
            case SequenceNode sequence -> "a list";
            default -> "a section";
        };
    }

    private Place place(Node node) {
        return node.getStartMark().map(this::place).orElse(Place.of(source));
    }

    private Place place(Mark mark) {
        return new Place(source, mark.getLine() + 1, mark.getColumn() + 1);
    }

    /** A value that begins with * is an alias to YAML, which nobody means here. */
    private static String hint(MarkedYamlEngineException e) {
        boolean isAlias = (e.getContext() + e.getProblem()).contains("alias");
        return isAlias ? "; a value that begins with * has to be in quotes" : "";
    }

    private static String oneLine(String text) {
        return text == null ? "it ends too early" : text.replaceAll("\\s+", " ").strip();
    }
}
