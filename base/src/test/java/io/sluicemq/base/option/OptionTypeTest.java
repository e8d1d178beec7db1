package io.sluicemq.base.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionTypeTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "65536, 65536",
        "65536b, 65536",
        "64k, 65536",
        "64K, 65536",
        "64KiB, 65536",
        "64 KiB, 65536",
        "64kB, 64000",
        "10MiB, 10485760",
        "10m, 10485760",
        "10MB, 10000000",
        "2GiB, 2147483648",
        "1t, 1099511627776",
        "9223372036854775807, 9223372036854775807"
    })
    void shouldReadSizes(String text, long bytes) throws InvalidValue {
        assertThat(OptionType.SIZE.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5GiB", "10 Mi", "10MiBs", "1e3", "9223372036854775808", "8589934592g",
        "ten"})
    void shouldRefuseWhatIsNoSize(String text) {
        assertThatThrownBy(() -> OptionType.SIZE.parse(text))
                .isInstanceOf(InvalidValue.class)
                .hasMessage("a size such as 64KiB, 10MiB or a plain number of bytes");
    }

    @ParameterizedTest
    @CsvSource({"0, PT0S", "250ms, PT0.25S", "10s, PT10S", "10 s, PT10S", "5m, PT5M", "2h, PT2H", "7d, PT168H",
        "90S, PT90S"})
    void shouldReadDurations(String text, Duration duration) throws InvalidValue {
        assertThat(OptionType.DURATION.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "-1s", "1.5s", "1m30s", "10 seconds", "9999999999999s", "s"})
    void shouldRefuseWhatIsNoDuration(String text) {
        assertThatThrownBy(() -> OptionType.DURATION.parse(text))
                .isInstanceOf(InvalidValue.class)
                .hasMessage("a duration such as 250ms, 10s or 5m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.0", "0x10", "1_000", " 1", "2147483648", "-2147483649", "one"})
    void shouldRefuseWhatIsNoInt(String text) {
        assertThatThrownBy(() -> OptionType.INT.parse(text))
                .isInstanceOf(InvalidValue.class)
                .hasMessage("a whole number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "on", "True", "1"})
    void shouldTakeOnlyTrueAndFalse(String text) {
        assertThatThrownBy(() -> OptionType.BOOLEAN.parse(text))
                .isInstanceOf(InvalidValue.class)
                .hasMessage("true or false");
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1:5672, 127.0.0.1, 5672", "broker.example:0, broker.example, 0", "[::1]:65535, ::1, 65535"})
    void shouldReadHostsWithPorts(String text, String host, int port) throws InvalidValue {
        HostPort value = OptionType.HOST_PORT.parse(text);

        assertThat(value).isEqualTo(new HostPort(host, port));
        assertThat(OptionType.HOST_PORT.format(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", ":5672", "host:", "host:65536", "host:-1", "::1:5672", "[host]:1", "a b:1",
        "host:+1"})
    void shouldRefuseWhatIsNoHostWithPort(String text) {
        assertThatThrownBy(() -> OptionType.HOST_PORT.parse(text)).isInstanceOf(InvalidValue.class);
    }

    @Test
    void shouldReadListsAndNameTheElementThatIsWrong() throws InvalidValue {
        OptionType<List<Integer>> type = OptionType.listOf(OptionType.INT);

        assertThat(type.parse("1, 2,3")).containsExactly(1, 2, 3);
        assertThat(type.parse(" ")).isEmpty();
        assertThat(type.format(List.of(1, 2))).isEqualTo("1, 2");
        assertThatThrownBy(() -> type.parse("1,,2")).hasMessage("a whole number");
    }

    @Test
    void shouldReadAShareOfAWhole() throws InvalidValue {
        OptionType<Long> type = OptionType.sizeOrShareOf(() -> 2000, "the heap");

        assertThat(type.parse("40%")).isEqualTo(800);
        assertThat(type.parse("1k")).isEqualTo(1024);
        assertThatThrownBy(() -> type.parse("2k"))
                .hasMessage("a size such as 512MiB that fits into the heap, or a percentage of it such as 40%");
        assertThatThrownBy(() -> type.parse("101%")).hasMessage("a percentage from 1% to 100%");
        assertThat(OptionType.shareOf(Long.MAX_VALUE, 100)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldCheckElementsOfListsThatWereNotReadFromText() {
        OptionType<List<String>> type = OptionType
                .listOf(OptionType.STRING.where("a short word", word -> word.length() < 5));

        assertThatThrownBy(() -> type.check(List.of("word", "wordy"))).isInstanceOf(InvalidValue.class);
    }

    @Property
    void shouldReadBackTheSizesItWrites(@ForAll @LongRange(min = 0) long bytes) throws InvalidValue {
        assertThat(OptionType.SIZE.parse(OptionType.SIZE.format(bytes))).isEqualTo(bytes);
    }

    @Property
    void shouldReadBackTheDurationsItWrites(@ForAll @LongRange(min = 0, max = 999_999_999_999L) long millis)
            throws InvalidValue {
        Duration duration = Duration.ofMillis(millis);

        assertThat(OptionType.DURATION.parse(OptionType.DURATION.format(duration))).isEqualTo(duration);
    }

    enum Colour {
        RED, DARK_BLUE
    }

    @ParameterizedTest
    @CsvSource({"red, RED", "RED, RED", "dark-blue, DARK_BLUE", "DARK_BLUE, DARK_BLUE", "Dark-Blue, DARK_BLUE"})
    void shouldReadConstantsInUpperAndLowerCase(String text, Colour colour) throws InvalidValue {
        OptionType<Colour> type = OptionType.oneOf(Colour.class);

        assertThat(type.parse(text)).isEqualTo(colour);
        assertThat(type.parse(type.format(colour))).isEqualTo(colour);
        assertThatThrownBy(() -> type.parse("green")).hasMessage("one of red, dark-blue");
    }

    @ParameterizedTest
    @CsvSource({"0%, 0", "80%, 80", "80 %, 80", "100%, 100"})
    void shouldReadPercentages(String text, int percent) throws InvalidValue {
        assertThat(OptionType.PERCENT.parse(text)).isEqualTo(percent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%", "80", "0.8", "101%", "-1%", "8e1%"})
    void shouldRefuseWhatIsNoPercentage(String text) {
        assertThatThrownBy(() -> OptionType.PERCENT.parse(text))
                .isInstanceOf(InvalidValue.class)
                .hasMessage("a percentage from 0% to 100%");
    }

    @Test
    void shouldReadNoneAsTheHighestValueOfAll() throws InvalidValue {
        Option<Long> option = Option.of("limit", OptionType.SIZE.orNone(-1L), "A limit.").atLeast(1L);

        assertThat(option.parse("none")).isEqualTo(-1);
        assertThat(option.type().format(-1L)).isEqualTo("none");
        assertThat(option.parse("1k")).isEqualTo(1024);
        assertThatThrownBy(() -> option.parse("0"))
                .hasMessage("a size such as 64KiB, 10MiB or a plain number of bytes, or none, at least 1");
        assertThatThrownBy(() -> option.parse("-1"))
                .hasMessage("a size such as 64KiB, 10MiB or a plain number of bytes, or none, at least 1");
        assertThatThrownBy(() -> OptionType.LONG.orNone(-1L).parse("-1")).hasMessage("a whole number, or none");
    }
}
