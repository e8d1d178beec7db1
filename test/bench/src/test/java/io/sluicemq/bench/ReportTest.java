package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static Measurement measurement(double consumed, double cpuMicros) {
        return new Measurement(consumed + 1, 0, consumed, cpuMicros, 1.25, 3.25, 0, 64 * 1024 * 1024, 12, 5.5, null);
    }

    private static Standing standing(String peer, double cpuMicros, double... consumed) {
        return new Standing(
                peer,
                peer + " 1.0",
                Arrays.stream(consumed)
                        .mapToObj(each -> measurement(each, cpuMicros))
                        .toList());
    }

    private final Standing ours = standing("sluicemq", 6, 90_000, 110_000, 100_000);
    private final Standing rabbit = standing("rabbitmq", 30, 40_000, 50_000);
    private final Standing brokerJ = standing("broker-j", 15, 20_000);
    private final Standing relay = standing("tcp-relay", 0.5, 400_000);

    @Test
    void shouldTakeTheMedianOfRoundsThatDidNotFail() {
        Standing standing = new Standing(
                "a", "",
                List.of(measurement(10, 1), Measurement.failed("gone"), measurement(30, 1), measurement(11, 1)));

        assertThat(standing.median(Measurement::consumedPerSecond)).isEqualTo(11);
        assertThat(standing.least(Measurement::consumedPerSecond)).isEqualTo(10);
        assertThat(standing.most(Measurement::consumedPerSecond)).isEqualTo(30);
        assertThat(standing.problems()).containsExactly("gone");
    }

    @Test
    void shouldTakeTheMeanOfTheTwoInTheMiddle() {
        assertThat(rabbit.median(Measurement::consumedPerSecond)).isEqualTo(45_000);
    }

    @Test
    void shouldRelateAllRowsToSluiceMq() {
        List<String> lines = Report.text(List.of(rabbit, ours, relay)).lines().toList();

        assertThat(lines).hasSize(4);
        assertThat(lines.get(1).split(" {2,}"))
                .containsExactly(
                        "rabbitmq", "45,001", "-", "45,000", "40,000 – 50,000", "0.45", "30.0", "5.00", "1.25", "3.25",
                        "-", "64", "12", "5.50");
        assertThat(lines.get(2)).startsWith("sluicemq").contains("  1.00  ");
        assertThat(lines.get(3)).startsWith("tcp-relay").contains("  4.00  ");
    }

    @Test
    void shouldRelateToTheFirstRowWhereSluiceMqIsNot() {
        assertThat(Report.text(List.of(rabbit, brokerJ)).lines().toList().get(2)).contains("  0.44  ");
    }

    @Test
    void shouldWriteTheSameCellsInMarkdown() {
        List<String> lines = Report.markdown(List.of(ours)).lines().toList();

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).startsWith("| broker | published/s |");
        assertThat(lines.get(1)).isEqualTo("| --- |" + " ---: |".repeat(13));
        assertThat(lines.get(2)).startsWith("| sluicemq | 100,001 | - | 100,000 | 90,000 – 110,000 | 1.00 | 6.00 |");
    }

    @Test
    void shouldJudgeAgainstTheBestPeerInEachFigureAndNotAgainstTheRelay() {
        assertThat(Report.verdict(List.of(ours, rabbit, brokerJ, relay)))
                .hasValue("SluiceMQ: 2.22 × the consumed messages a second of the fastest peer (rabbitmq) at 0.20 × its"
                        + " CPU a message, 0.40 × the CPU a message of the thriftiest (broker-j), 1.00 × the p99 of the"
                        + " promptest (rabbitmq).");
        assertThat(Report.verdict(List.of(rabbit, brokerJ))).isEmpty();
        assertThat(Report.verdict(List.of(ours, relay))).isEmpty();
    }

    @Test
    void shouldJudgeByConfirmsWhereThereAreSomeAndByTheLeastLatency() {
        Standing ours = confirmed("sluicemq", 300, 5, 4);
        Standing fast = confirmed("artemis", 200, 20, 10);
        Standing prompt = confirmed("rabbitmq", 100, 10, 2);

        assertThat(Report.verdict(List.of(prompt, fast, ours)))
                .hasValue(
                        "SluiceMQ: 1.50 × the confirmed messages a second of the fastest peer (artemis) at 0.25 × its CPU a"
                                + " message, 0.50 × the CPU a message of the thriftiest (rabbitmq), 2.00 × the p99 of the promptest"
                                + " (rabbitmq).");
        assertThat(Report.text(List.of(ours))).contains("300", "confirmed/s", "p50 ms");
    }

    private static Standing confirmed(String peer, double confirmed, double cpuMicros, double p99Millis) {
        return new Standing(
                peer, "", List.of(new Measurement(1, confirmed, 1000, cpuMicros, 1, p99Millis, 1, 1, 1, 1, null)));
    }

    @Test
    void shouldLeaveOutOfTheTableWhatAlwaysFailedAndSayWhy() {
        Standing failed = new Standing("broker-j", "9.2.1", List.of(Measurement.failed("no port")));

        assertThat(Report.text(List.of(ours, failed))).doesNotContain("broker-j");
        assertThat(Report.notes(List.of(failed)))
                .containsExactly("broker-j: 9.2.1", "broker-j: a round failed: no port");
    }
}
