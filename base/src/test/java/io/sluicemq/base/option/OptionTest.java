package io.sluicemq.base.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionTest {

    private static final Option<Integer> PORT = Option.of("port", OptionType.INT, "A port.").between(0, 65535)
            .defaultsTo(5672);

    @Test
    void shouldSayWhatItExpectsInFull() {
        Option<Integer> peers = Option.of("peers", OptionType.INT, "").counting("peers").atLeast(1);
        Option<Long> frame = Option.of("frame", OptionType.SIZE, "").between(4096L, 1L << 20);

        assertThat(PORT.expected()).isEqualTo("a whole number from 0 to 65535");
        assertThat(peers.expected()).isEqualTo("a whole number of peers, at least 1");
        assertThat(frame.expected())
                .isEqualTo("a size such as 64KiB, 10MiB or a plain number of bytes, from 4KiB to 1MiB");
    }

    @Test
    void shouldKeepToItsBoundsHoweverAValueCame() throws InvalidValue {
        assertThat(PORT.parse("65535")).isEqualTo(65535);
        assertThat(PORT.check(0)).isZero();
        assertThatThrownBy(() -> PORT.parse("65536")).hasMessage("a whole number from 0 to 65535");
        assertThatThrownBy(() -> PORT.parse("x")).hasMessage("a whole number from 0 to 65535");
        assertThatThrownBy(() -> PORT.check(-1)).hasMessage("a whole number from 0 to 65535");
        assertThatThrownBy(() -> PORT.check(null)).hasMessage("a whole number from 0 to 65535");
    }

    @Test
    void shouldTellItsDefaultAsPeopleWriteIt() {
        Option<Duration> time = Option.of("time", OptionType.DURATION, "").defaultsTo(Duration.ofSeconds(90));
        Option<Integer> cores = Option.of("cores", OptionType.INT, "").defaultsTo(() -> 7, "all of them");

        assertThat(time.defaultText()).isEqualTo("90s");
        assertThat(cores.defaultText()).isEqualTo("all of them");
        assertThat(cores.defaultValue()).isEqualTo(7);
    }

    @Test
    void shouldNotTakeBoundsForValuesWithoutOrder() {
        Option<String> name = Option.of("name", OptionType.STRING, "");

        assertThatThrownBy(() -> name.atLeast("a")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldFindTheKeyThatWasMeant() {
        List<String> keys = List.of("listeners", "virtual-hosts", "users", "limits", "loops");

        assertThat(Nearest.of("listner", keys)).contains("listeners");
        assertThat(Nearest.of("virtual_hosts", keys)).contains("virtual-hosts");
        assertThat(Nearest.of("virtualHosts", keys)).contains("virtual-hosts");
        assertThat(Nearest.of("user", keys)).contains("users");
        assertThat(Nearest.of("lopos", keys)).contains("loops");
        assertThat(Nearest.of("queues", keys)).isEmpty();
        assertThat(Nearest.of("", keys)).isEmpty();
    }

    @Test
    void shouldGiveDefaultsForWhatWasNotSet() throws InvalidValue {
        Section inner = new Section("amqp", "", PORT);
        Section root = new Section("", "", inner);
        Settings settings = new Settings(root, Place.of("test"));

        assertThat(settings.section(inner).get(PORT)).isEqualTo(5672);

        settings.enter(inner, new Place("file", 3, 1)).set(PORT, 1, new Place("file", 3, 7));

        assertThat(settings.section(inner).get(PORT)).isEqualTo(1);
        assertThat(settings.section(inner).place(PORT)).hasToString("file:3:7");
        assertThatThrownBy(() -> settings.get(PORT)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseASectionThatDeclaresAKeyTwice() {
        assertThatThrownBy(() -> new Section("amqp", "", PORT, PORT)).isInstanceOf(IllegalArgumentException.class);
    }
}
