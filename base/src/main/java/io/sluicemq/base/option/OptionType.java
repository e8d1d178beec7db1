package io.sluicemq.base.option;

import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the values of an option are written: text to value, value to text, and the words that say what is valid. Immutable.
 *
 * <p>Invariant: {@code parse(format(value))} equals {@code value}.
 */
public final class OptionType<T> {

    /** What its values look like where they are written, for schemas and editors. */
    public enum Kind {
        TEXT,
        WHOLE_NUMBER,
        TRUE_OR_FALSE,
        SIZE,
        SIZE_OR_PERCENT,
        DURATION,
        PERCENT,
        PATH,
        HOST_PORT,
        /** One of {@link Form#words}. */
        WORD,
        LIST
    }

    /**
     * What its values look like.
     *
     * @param words of {@link Kind#WORD} all that there are; empty for others
     * @param none whether the word {@code none} is one, too
     */
    public record Form(Kind kind, List<String> words, boolean none) {

        public Form {
            words = List.copyOf(words);
        }

        private Form(Kind kind) {
            this(kind, List.of(), false);
        }
    }

    /** Every value is valid that could be read. */
    private static final Predicate<Object> ANY = value -> true;

    public static final OptionType<String> STRING =
            new OptionType<>(Kind.TEXT, "text", text -> text, value -> value, ANY, null, null);

    /** Decimal, no separators. */
    public static final OptionType<Integer> INT =
            new OptionType<>(Kind.WHOLE_NUMBER, "a whole number", OptionType::parseInt, String::valueOf, ANY,
                    Comparator.naturalOrder(),
                    null);

    /** Decimal, no separators. */
    public static final OptionType<Long> LONG =
            new OptionType<>(Kind.WHOLE_NUMBER, "a whole number", OptionType::parseLong, String::valueOf, ANY,
                    Comparator.naturalOrder(),
                    null);

    /** {@code true} or {@code false}, and no other words for them. */
    public static final OptionType<Boolean> BOOLEAN =
            new OptionType<>(Kind.TRUE_OR_FALSE, "true or false", OptionType::parseBoolean, String::valueOf, ANY, null,
                    null);

    /**
     * Bytes: {@code 65536}, {@code 64k} or {@code 64KiB} (1,024 each, as the JVM's own flags count), {@code 64kB} (1,000
     * each); likewise {@code m}, {@code g} and {@code t}. Upper and lower case are the same.
     */
    public static final OptionType<Long> SIZE = new OptionType<>(Kind.SIZE,
            "a size such as 64KiB, 10MiB or a plain number of bytes",
            OptionType::parseSize,
            OptionType::formatSize,
            bytes -> bytes >= 0,
            Comparator.naturalOrder(),
            null);

    /** A number and its unit: {@code 250ms}, {@code 10s}, {@code 5m}, {@code 2h}, {@code 7d}; zero needs no unit. */
    public static final OptionType<Duration> DURATION = new OptionType<>(Kind.DURATION,
            "a duration such as 250ms, 10s or 5m",
            OptionType::parseDuration,
            OptionType::formatDuration,
            duration -> !duration.isNegative(),
            Comparator.naturalOrder(),
            null);

    public static final OptionType<HostPort> HOST_PORT = new OptionType<>(Kind.HOST_PORT,
            "a host and a port, such as 127.0.0.1:5672", HostPort::parse, HostPort::toString, ANY, null, null);

    /** A path of the default file system; a relative one starts at the working folder of the process. */
    public static final OptionType<Path> PATH =
            new OptionType<>(Kind.PATH, "a path", OptionType::parsePath, Path::toString,
                    path -> !path.toString().isEmpty(), null,
                    null);

    /** Hundredths: {@code 80%}, from {@code 0%} to {@code 100%}. */
    public static final OptionType<Integer> PERCENT = new OptionType<>(Kind.PERCENT,
            "a percentage from 0% to 100%",
            OptionType::parsePercent,
            percent -> percent + "%",
            percent -> percent >= 0 && percent <= 100,
            Comparator.naturalOrder(),
            null);

    private static final String NONE_TEXT = "none";
    private static final Pattern SIZE_TEXT = Pattern.compile("(\\d+) ?(?:([kmgt])(b|ib)?|b)?");
    private static final Pattern DURATION_TEXT = Pattern.compile("(\\d+) ?(ms|s|m|h|d)");
    private static final String SIZE_UNITS = "kmgt";
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int MAX_DURATION_DIGITS = 12;

    private final Form form;
    private final String description;
    private final Parser<T> parser;
    private final Function<T, String> formatter;
    private final Predicate<? super T> valid;
    private final Comparator<? super T> order;
    private final OptionType<?> element;

    private OptionType(
            Kind kind,
            String description,
            Parser<T> parser,
            Function<T, String> formatter,
            Predicate<? super T> valid,
            Comparator<? super T> order,
            OptionType<?> element) {
        this(new Form(kind), description, parser, formatter, valid, order, element);
    }

    private OptionType(
            Form form,
            String description,
            Parser<T> parser,
            Function<T, String> formatter,
            Predicate<? super T> valid,
            Comparator<? super T> order,
            OptionType<?> element) {
        this.form = form;
        this.description = description;
        this.parser = parser;
        this.formatter = formatter;
        this.valid = valid;
        this.order = order;
        this.element = element;
    }

    /** A list; on a command line its elements stand between commas. */
    public static <E> OptionType<List<E>> listOf(OptionType<E> element) {
        return new OptionType<>(
                Kind.LIST,
                "a list, each " + element.description,
                text -> {
                    List<E> values = new ArrayList<>();
                    if (!text.isBlank()) {
                        for (String part : text.split(",", -1)) {
                            values.add(element.parse(part.strip()));
                        }
                    }
                    return List.copyOf(values);
                },
                values -> String.join(", ", values.stream().map(element::format).toList()),
                values -> values.stream().allMatch(element.valid),
                null,
                element);
    }

    /** A {@link #SIZE} up to {@code whole}, or a percentage of it, such as {@code 40%}. */
    public static OptionType<Long> sizeOrShareOf(LongSupplier whole, String wholeName) {
        String description =
                "a size such as 512MiB that fits into " + wholeName + ", or a percentage of it such as 40%";
        return new OptionType<>(
                Kind.SIZE_OR_PERCENT,
                description,
                text -> {
                    if (!text.endsWith("%")) {
                        return SIZE.parse(text);
                    }
                    int percent = INT.parse(text.substring(0, text.length() - 1).strip());
                    if (percent < 1 || percent > 100) {
                        throw new InvalidValue("a percentage from 1% to 100%");
                    }
                    return shareOf(whole.getAsLong(), percent);
                },
                OptionType::formatSize,
                bytes -> bytes >= 0 && bytes <= whole.getAsLong(),
                Comparator.naturalOrder(),
                null);
    }

    /**
     * The constants of an enum, by their names in lower case with hyphens. Upper case and underscores mean the same, so that
     * {@code CLOSE_CHANNEL} is read, too.
     */
    public static <E extends Enum<E>> OptionType<E> oneOf(Class<E> constants) {
        List<E> all = List.of(constants.getEnumConstants());
        List<String> words = all.stream().map(OptionType::word).toList();
        return new OptionType<>(
                new Form(Kind.WORD, words, false),
                "one of " + String.join(", ", words),
                text -> {
                    String word = text.toLowerCase(Locale.ROOT).replace('_', '-');
                    return all.stream().filter(each -> word(each).equals(word)).findFirst()
                            .orElseThrow(OptionType::invalid);
                },
                OptionType::word,
                ANY,
                null,
                null);
    }

    /** Some words, and no others. */
    public static OptionType<String> oneOf(List<String> words) {
        return new OptionType<>(
                new Form(Kind.WORD, words, false), "one of " + String.join(", ", words), text -> text, value -> value,
                List.copyOf(words)::contains, null, null);
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** This type and the word {@code none}, which stands for a value that is above all others. */
    public OptionType<T> orNone(T none) {
        return new OptionType<>(
                new Form(form.kind, form.words, true),
                description + ", or none",
                text -> {
                    if (text.equalsIgnoreCase(NONE_TEXT)) {
                        return none;
                    }
                    T value = parser.parse(text);
                    if (value.equals(none)) {
                        throw invalid(); // it has its word
                    }
                    return value;
                },
                value -> value.equals(none) ? NONE_TEXT : formatter.apply(value),
                value -> value.equals(none) || valid.test(value),
                order == null ? null : Comparator.<T, Boolean>comparing(none::equals).thenComparing(order),
                element);
    }

    /** {@code percent} hundredths of {@code whole}, rounded down. */
    public static long shareOf(long whole, int percent) {
        return whole / 100 * percent + whole % 100 * percent / 100;
    }

    /** This type without the values that fail {@code allowed}; {@code expected} says what is left. */
    public OptionType<T> where(String expected, Predicate<T> allowed) {
        Predicate<T> both = value -> valid.test(value) && allowed.test(value);
        return new OptionType<>(form, expected, parser, formatter, both, order, element);
    }

    public Form form() {
        return form;
    }

    /** What its values are, for people: {@code a whole number}. */
    public String description() {
        return description;
    }

    /** Reads a value and checks it. The exception names what was expected. */
    public T parse(String text) throws InvalidValue {
        T value;
        try {
            value = parser.parse(text);
        } catch (InvalidValue e) {
            throw e.expected().isEmpty() ? new InvalidValue(description) : e;
        }
        return check(value);
    }

    /** Checks a value that was not read from text, and returns it. */
    public T check(T value) throws InvalidValue {
        if (value == null || !valid.test(value)) {
            throw new InvalidValue(description);
        }
        return value;
    }

    /** Writes a value as {@link #parse} reads it. */
    public String format(T value) {
        return formatter.apply(value);
    }

    /** The type of a list's elements; null if this is no list. */
    public OptionType<?> element() {
        return element;
    }

    /** Makes a list's value of elements that were parsed by {@link #element}. */
    @SuppressWarnings("unchecked") // a type with an element is made by listOf alone, so T is a list of that element
    public T ofElements(List<?> values) {
        if (element == null) {
            throw new IllegalStateException(description + " is no list");
        }
        return (T) List.copyOf(values);
    }

    /** How values are ordered; null if they are not. */
    Comparator<? super T> order() {
        return order;
    }

    private static InvalidValue invalid() {
        return new InvalidValue("");
    }

    private static Integer parseInt(String text) throws InvalidValue {
        long value = parseLong(text);
        if (value != (int) value) {
            throw invalid();
        }
        return (int) value;
    }

    private static Long parseLong(String text) throws InvalidValue {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw invalid();
        }
    }

    private static Integer parsePercent(String text) throws InvalidValue {
        if (!text.endsWith("%")) {
            throw invalid();
        }
        return parseInt(text.substring(0, text.length() - 1).strip());
    }

    private static Boolean parseBoolean(String text) throws InvalidValue {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid();
        };
    }

    private static Path parsePath(String text) throws InvalidValue {
        if (text.isEmpty()) {
            throw invalid();
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw invalid();
        }
    }

    private static Long parseSize(String text) throws InvalidValue {
        Matcher matcher = SIZE_TEXT.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw invalid();
        }
        BigInteger bytes = new BigInteger(matcher.group(1));
        if (matcher.group(2) != null) {
            int base = "b".equals(matcher.group(3)) ? 1000 : 1024;
            int power = SIZE_UNITS.indexOf(matcher.group(2)) + 1;
            bytes = bytes.multiply(BigInteger.valueOf(base).pow(power));
        }
        if (bytes.compareTo(LONG_MAX) > 0) {
            throw invalid();
        }
        return bytes.longValue();
    }

    private static String formatSize(long bytes) {
        int power = 0;
        long value = bytes;
        while (power < SIZE_UNITS.length() && value >= 1024 && value % 1024 == 0) {
            value /= 1024;
            power++;
        }
        String unit = power == 0 ? "" : Character.toUpperCase(SIZE_UNITS.charAt(power - 1)) + "iB";
        return value + unit;
    }

    private static Duration parseDuration(String text) throws InvalidValue {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher matcher = DURATION_TEXT.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches() || matcher.group(1).length() > MAX_DURATION_DIGITS) {
            throw invalid();
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    private static String formatDuration(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds < 120 || seconds % 60 != 0) {
            return seconds + "s";
        }
        long minutes = seconds / 60;
        if (minutes % 60 != 0) {
            return minutes + "m";
        }
        long hours = minutes / 60;
        return hours % 24 != 0 ? hours + "h" : hours / 24 + "d";
    }

    /** Reads a value; an exception without words stands for the type's own. */
    @FunctionalInterface
    private interface Parser<T> {
        T parse(String text) throws InvalidValue;
    }
}
