package io.sluicemq.server.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What was scraped, read strictly: OpenMetrics 1.0 as its ABNF says it (the parts that are used), or the text format 0.0.4. Immutable.
 *
 * @param types of metric families, by their names
 * @param samples values by name and labels, as in {@code up{a="1",b="2"}}, in the order of appearance
 */
record Scrape(Map<String, String> types, Map<String, Double> samples) {

    private static final Pattern ABOUT = Pattern.compile("# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) ?(.*)");
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(.*)})? (NaN|[+-]Inf|-?[0-9.]+(?:E-?[0-9]+)?)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\"\\\\n])*)\"");

    /** @throws AssertionError if it is not OpenMetrics */
    static Scrape ofOpenMetrics(String text) {
        if (!text.endsWith("\n# EOF\n")) {
            throw new AssertionError("it does not end in # EOF");
        }
        return of(text.substring(0, text.length() - "# EOF\n".length()), true);
    }

    /** @throws AssertionError if it is not the text format */
    static Scrape of(String text) {
        return of(text, false);
    }

    private static Scrape of(String text, boolean open) {
        Map<String, String> types = new HashMap<>();
        Map<String, Double> samples = new LinkedHashMap<>();
        Set<String> finished = new HashSet<>();
        String family = null;
        for (String line : text.split("\n", -1)) {
            if (line.isEmpty()) {
                continue;
            }
            Matcher about = ABOUT.matcher(line);
            if (about.matches()) {
                if (!about.group(2).equals(family)) {
                    if (!finished.add(about.group(2))) {
                        throw new AssertionError("the family comes twice: " + line);
                    }
                    family = about.group(2);
                }
                if (about.group(1).equals("TYPE")) {
                    types.put(family, about.group(3));
                } else if (about.group(1).equals("UNIT") && !family.endsWith("_" + about.group(3))) {
                    throw new AssertionError("the unit is not in the name: " + line);
                }
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches()) {
                throw new AssertionError("no sample: " + line);
            }
            String name = sample.group(1);
            if (family == null || !belongs(name, family, types.get(family), open)) {
                throw new AssertionError("a sample of another family than " + family + ": " + line);
            }
            String key = name + labels(sample.group(3), line);
            if (samples.put(key, value(sample.group(4))) != null) {
                throw new AssertionError("it comes twice: " + line);
            }
        }
        return new Scrape(types, samples);
    }

    private static boolean belongs(String name, String family, String type, boolean open) {
        if (!name.startsWith(family)) {
            return false;
        }
        String suffix = name.substring(family.length());
        return switch (type) {
            case "counter" -> open ? suffix.equals("_total") || suffix.equals("_created") : suffix.isEmpty();
            case "gauge" -> suffix.isEmpty();
            case "info" -> suffix.equals("_info");
            case "histogram" -> List.of("_bucket", "_count", "_sum", "_created").contains(suffix);
            case "summary" -> List.of("", "_count", "_sum", "_created").contains(suffix);
            default -> throw new AssertionError("a type " + type + " of " + family);
        };
    }

    private static String labels(String text, String line) {
        if (text == null) {
            return "";
        }
        Matcher label = LABEL.matcher(text);
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            if (!label.find(at) || label.start() != at) {
                throw new AssertionError("no label at " + at + " of " + line);
            }
            found.add(label.group());
            at = label.end();
            if (at < text.length() && text.charAt(at++) != ',') {
                throw new AssertionError("no comma at " + at + " of " + line);
            }
        }
        return "{" + String.join(",", found) + "}";
    }

    private static double value(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** The value of one; fails if there is none. */
    double value(String name, String... labels) {
        String key = name + (labels.length == 0 ? "" : "{" + String.join(",", labels) + "}");
        Double found = samples.get(key);
        if (found == null) {
            throw new AssertionError("there is no " + key + "; of that name there are "
                    + samples.keySet().stream().filter(each -> each.startsWith(name)).toList());
        }
        return found;
    }

    /** All of a name, by their labels. */
    List<String> seriesOf(String name) {
        return samples.keySet().stream().filter(each -> each.startsWith(name + "{") || each.equals(name)).toList();
    }
}
