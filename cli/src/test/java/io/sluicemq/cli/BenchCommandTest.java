package io.sluicemq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.cli.bench.BenchPlan;
import io.sluicemq.cli.bench.ExchangeKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine line = BenchCommand.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    private static BenchPlan plan(String... arguments) {
        CommandLine line = BenchCommand.commandLine();
        line.parseArgs(arguments);
        return line.<BenchCommand>getCommand().plan();
    }

    @Test
    void shouldPlanOneProducerAndOneConsumerByDefault() {
        BenchPlan plan = plan();

        assertThat(plan.queues()).isEqualTo(1);
        assertThat(plan.producers()).isEqualTo(1);
        assertThat(plan.consumers()).isEqualTo(1);
        assertThat(plan.size()).isEqualTo(1024);
        assertThat(plan.persistent()).isFalse();
        assertThat(plan.confirmWindow()).isZero();
        assertThat(plan.ackEvery()).isEqualTo(50);
        assertThat(plan.exchangeKind()).isEqualTo(ExchangeKind.DIRECT);
        assertThat(plan.warmupSeconds()).isEqualTo(3);
    }

    /** By itself the client library would take any certificate. */
    @Test
    void shouldSpeakTlsOnlyWithWhomItTrusts() {
        assertThat(plan().trust()).isNull();
        assertThat(plan("--uri", "amqps://localhost").trust()).isNotNull();
        assertThat(execute("--ca", "nowhere.pem", "--uri", "amqps://localhost")).isEqualTo(2);
        assertThat(execute("--uri", "AMQPS://localhost", "--io", "netty")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no file nowhere.pem", "--io netty goes with --uri amqp://");
    }

    @Test
    void shouldGiveEachQueueAConsumer() {
        assertThat(plan("--queues", "10").consumers()).isEqualTo(10);
        assertThat(plan("--queues", "10", "--consumers", "3").consumers()).isEqualTo(3);
    }

    @Test
    void shouldMakeSubscribersOfQueuesAndConsumers() {
        BenchPlan plan = plan("--exchange-type", "topic", "--subscribers", "20");

        assertThat(plan.exchangeKind()).isEqualTo(ExchangeKind.TOPIC);
        assertThat(plan.queues()).isEqualTo(20);
        assertThat(plan.consumers()).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource({"500, 50", "10, 5", "1, 1", "0, 50"})
    void shouldAcknowledgeBeforeThePrefetchIsUsedUp(int prefetch, int ackEvery) {
        assertThat(plan("--prefetch", Integer.toString(prefetch)).ackEvery()).isEqualTo(ackEvery);
    }

    @Test
    void shouldTellNumbersAndTruthsInQueueArgumentsFromText() {
        assertThat(plan("--queue-args", "x-max-length=1000,x-single-active-consumer=true,x-overflow=drop-head")
                .queueArguments())
                .isEqualTo(Map.of("x-max-length", 1000L, "x-single-active-consumer", true, "x-overflow", "drop-head"));
    }

    @Test
    void shouldTakeProcessesWithCommasBetween() {
        assertThat(plan("--pid", "12,13").brokerPids()).containsExactly(12L, 13L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--uri http://127.0.0.1",
                "--uri amqp://",
                "--uri amqp:nohost",
                "--queues 0",
                "--queues x",
                "--producers -1",
                "--producers 0",
                "--size 15",
                "--confirm -1",
                "--prefetch 70000",
                "--prefetch 10 --ack-every 11",
                "--rate -5",
                "--seconds 0",
                "--warmup -1",
                "--drain -1",
                "--exchange-type headers",
                "--subscribers 3",
                "--exchange-type topic --subscribers 3 --queues 3",
                "--exchange-type topic --subscribers 0",
                "--queue-args nonsense",
                "--pid me",
                "--io pigeon",
                "--flow-samples",
                "--no-such-option",
                "surplus"
            })
    void shouldRefuseAWrongOptionByOneLineAndExitCode2(String arguments) {
        int code = execute(arguments.split(" "));

        assertThat(code).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines())
                .hasSize(2)
                .last().asString().isEqualTo("Run 'bench --help' for the options.");
        assertThat(err.toString()).startsWith("bench: ");
    }

    @Test
    void shouldSayInOneLineThatNobodyAnswers() throws IOException {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }

        int code = execute("--uri", "amqp://user:secret@127.0.0.1:" + port);

        assertThat(code).isEqualTo(1);
        assertThat(err.toString().strip())
                .isEqualTo("bench: cannot connect to amqp://127.0.0.1:" + port + ": Connection refused");
    }

    @Test
    void shouldSayThatTheBrokersProcessIsNotThere() {
        int code = execute("--pid", "2147483647");

        assertThat(code).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1).first().asString().contains("--pid 2147483647: no such process");
    }
}
