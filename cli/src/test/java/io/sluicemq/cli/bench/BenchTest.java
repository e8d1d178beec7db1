package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The run and its checks, by a client whose broker is a method call. */
class BenchTest {

    private static final int LOST = 500;

    private final List<String> calls = new ArrayList<>();

    private static BenchPlan plan(int confirmWindow, long rate) {
        return new BenchPlan(
                URI.create("amqp://guest:guest@127.0.0.1"),
                null,
                ExchangeKind.DIRECT,
                1,
                1,
                1,
                64,
                true,
                confirmWindow,
                false,
                100,
                50,
                rate,
                1,
                0,
                1,
                true,
                Map.of(),
                false,
                ClientIo.SOCKET,
                Dispatch.DIRECT,
                List.of(),
                false);
    }

    /** Delivers and confirms at once what the producer sends, but for one message that may be lost or come twice. */
    private class Loopback implements LoadClient {
        private final int deliveriesOfOne;
        private Subscriber subscriber;
        private int acknowledged;

        Loopback(int deliveriesOfOne) {
            this.deliveriesOfOne = deliveriesOfOne;
        }

        @Override
        public void declare() {
            calls.add("declare");
        }

        @Override
        public void delete() {
            calls.add("delete");
        }

        @Override
        public Sender sender(int producer, ConfirmWindow confirms, Runnable returned) {
            long[] sent = new long[1];
            return (target, body) -> {
                sent[0]++;
                for (int i = 0; i < (sent[0] == LOST ? deliveriesOfOne : 1); i++) {
                    if (subscriber.take(target, body)) {
                        acknowledged++;
                    }
                }
                if (confirms != null) {
                    confirms.ack(sent[0], false, System.nanoTime());
                }
            };
        }

        @Override
        public void receive(int consumer, Subscriber toBeTold) throws BenchFailure {
            subscriber = toBeTold;
        }

        @Override
        public void expectEnd() {
            calls.add("end");
        }

        @Override
        public long blockedEvents() {
            return 0;
        }

        @Override
        public int blockedNow() {
            return 0;
        }

        @Override
        public void close() {
            calls.add("close " + (acknowledged > 0));
        }
    }

    private BenchResult run(BenchPlan plan, int deliveriesOfOne) throws Exception {
        return new Bench(plan, (same, failure) -> new Loopback(deliveriesOfOne)).run(sample -> {});
    }

    @Test
    void shouldMeasureAnyClientAndCleanUp() throws Exception {
        BenchResult result = run(plan(10, 2000), 1);

        assertThat(result.problem()).isNull();
        assertThat(result.consumed()).isEqualTo(result.published()).isEqualTo(result.confirmed()).isPositive();
        assertThat(result.publishedPerSecond()).isBetween(1.0, 2100.0);
        assertThat(result.latency().count()).isPositive();
        assertThat(result.confirmLatency().count()).isPositive();
        assertThat(calls).containsExactly("declare", "end", "delete", "close true");
    }

    @Test
    void shouldFailIfAMessageIsLost() throws Exception {
        BenchResult result = run(plan(0, 2000), 0);

        assertThat(result.missing()).isEqualTo(1);
        assertThat(result.problem()).startsWith("1 messages are missing");
    }

    @Test
    void shouldFailIfAMessageComesTwice() throws Exception {
        assertThat(run(plan(0, 2000), 2).problem()).startsWith("1 deliveries were out of order or repeated");
    }

    @Test
    void shouldDeleteAndCloseWhereAConsumerIsRefused() {
        Bench bench = new Bench(plan(0, 2000), (same, failure) -> new Loopback(1) {
            @Override
            public void receive(int consumer, Subscriber toBeTold) throws BenchFailure {
                throw new BenchFailure("no more consumers");
            }
        });

        assertThatThrownBy(() -> bench.run(sample -> {}))
                .isInstanceOf(BenchFailure.class)
                .hasMessage("no more consumers");
        assertThat(calls).containsExactly("declare", "end", "delete", "close false");
    }
}
