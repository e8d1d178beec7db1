package io.sluicemq.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.cli.text.Table.Column;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TextTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void shouldShowWhatATerminalWouldObey() {
        assertThat(Printable.text("plain ünd 😀 \\")).isEqualTo("plain ünd 😀 \\");
        assertThat(Printable.text("a\u001b[31m\n\t\u007f\u009b")).isEqualTo("a\\u001b[31m\\u000a\\u0009\\u007f\\u009b");
        assertThat(Printable.text("\u202e\u200b\u2028\ufeff")).isEqualTo("\\u202e\\u200b\\u2028\\ufeff");
        assertThat(Printable.text("x\ud800y")).isEqualTo("x\\ud800y");
    }

    @Test
    void shouldMakeColumnsAsWideAsWhatIsInThem() {
        Table table = new Table(List.of(Column.text("NAME"), Column.number("N"), Column.text("KIND")));
        table.add(List.of("a", "100", "x"));
        table.add(List.of("ünïcödé😀", "2", "yy"));

        assertThat(table.lines()).containsExactly(
                "NAME        N  KIND",
                "a         100  x",
                "ünïcödé😀    2  yy");
        assertThatThrownBy(() -> table.add(List.of("a"))).isInstanceOf(IllegalArgumentException.class);
    }

    /** What a reader of YAML makes of it is what was written, in whatever text. */
    @ParameterizedTest
    @CsvSource(value = {
        "{}", "[]", "5", "\"a\"", "[1,2.5,null,true,\"true\"]", "{\"a\":{},\"b\":[],\"c\":\"\"}",
        "{\"a\":[{\"b\":1,\"c\":[1,[2,[3]]]},{\"d\":\"x\"}]}",
        "{\"yes\":\"no\",\"on\":\"~\",\"null\":\"null\",\"1\":\"0x1f\",\"- a\":\"- b\",\": \":\"a: b\",\"#\":\" #\"}",
        "{\"k\":\"line\\nline\",\"t\":\"\\ttab\",\"e\":\"\\u001b[31m\",\"c\":\"\\u009b\",\"b\":\"\\u202e\",\"q\":\"\\\"'\\\\\"}",
        "{\"é\":\"ü\",\"/\":\"/\",\"@a\":\"%b\",\"time\":\"12:30\",\"date\":\"2026-01-01\",\"big\":12345678901}"
    }, delimiter = '\u0001', quoteCharacter = '\u0002')
    void shouldWriteYamlThatIsRead(String json) {
        JsonNode written = JSON.readTree(json);

        String yaml = Structured.yaml(written);

        assertThat(yaml).doesNotContain("\u001b", "\u009b", "\u202e");
        Object read = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        assertThat(JSON.<JsonNode>valueToTree(read)).isEqualTo(JSON.readTree(json));
    }

    @Test
    void shouldWriteJsonThatATerminalDoesNotObey() {
        JsonNode json = JSON.valueToTree(Map.of("a", "\u009b2J\u202e\u007f"));

        assertThat(Structured.json(json)).doesNotContain("\u009b", "\u202e", "\u007f");
        assertThat(Structured.read(Structured.json(json))).isEqualTo(json);
        assertThat(Structured.line(json)).doesNotContain("\n").doesNotContain("\u202e");
    }

    @ParameterizedTest
    @CsvSource({"0, 0.0", "99.94, 99.9", "100.4, 100", "1234567.8, '1,234,568'"})
    void shouldWriteRates(double rate, String text) {
        assertThat(Units.rate(rate)).isEqualTo(text);
    }
}
