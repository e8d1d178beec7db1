package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogEventTest {

    private final Logger logger = new LoggerContext().getLogger("log");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    LogEventTest() {
        lines.start();
        logger.addAppender(lines);
    }

    @Test
    void shouldHaveIdsThatAreUniqueAndSortedByArea() {
        List<String> ids = Stream.of(LogEvent.values()).map(LogEvent::id).toList();
        assertThat(ids).doesNotHaveDuplicates().isSorted().allMatch(id -> id.matches("SMQ[1-9]\\d{3}"));
        assertThat(Stream.of(LogEvent.values()).map(LogEvent::area)).isSorted();
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayWhenItAppearsAndWhatToDo(LogEvent event) {
        assertThat(event.says()).endsWith(".").doesNotContain("|", "\n");
        assertThat(event.advice()).endsWith(".").doesNotContain("|", "\n");
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteALineAtItsLevelWithItsMarker(LogEvent event) {
        event.log(logger, "{} of {}", 3, "q");

        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage()).isEqualTo("3 of q");
            assertThat(line.getLevel()).isEqualTo(Level.toLevel(event.level().name()));
            assertThat(line.getMarkerList()).containsExactly(event.marker());
            assertThat(event.marker().getName()).isEqualTo(event.id());
        });
    }

    @Test
    void shouldWriteATraceForAThrowableAtTheEndAlone() {
        var e = new IllegalStateException("meant by the test\nin two lines");
        LogEvent.TASK_FAILED.log(logger, "failed: {}{}", e, "", e);

        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage()).isEqualTo(
                    "failed: java.lang.IllegalStateException: meant by the test?in two lines");
            assertThat(line.getThrowableProxy().getMessage()).isEqualTo(e.getMessage());
        });
    }

    /** What peers name things may be in any argument. */
    @Test
    void shouldKeepALineOneLineWhateverIsInIt() {
        LogEvent.CHANNEL_ERROR.log(logger, "no queue '{}', {}", "q\r\nERROR {} \u001b[2J\u202e", null);
        LogEvent.CHANNEL_ERROR.log(logger, "no queue '{}'", "x".repeat(100_000));

        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).first()
                .isEqualTo("no queue 'q??ERROR {} ?[2J?', null");
        assertThat(lines.list.getLast().getFormattedMessage()).hasSizeLessThan(5_000);
    }
}
