package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.Login;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.base.Loop;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.management.http.Answer;
import io.sluicemq.management.http.HttpApi;
import io.sluicemq.transport.NettyLoops;
import io.sluicemq.transport.SocketKind;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists and pictures of an engine that has a hundred thousand queues, and no client that publishes: what is shown, and how much is looked at for it. */
class ManyQueuesTest {

    private static final int QUEUES = 100_000;
    private static final Actor ANN = new Actor(Principal.named("ann", Access.ALL), "10.0.0.1:5");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static NettyLoops loops;
    private static HttpApi api;
    /** How many queues were looked at. */
    private static final AtomicLong LOOKED = new AtomicLong();
    private static final AtomicLong MOST_AT_A_TIME = new AtomicLong();

    @BeforeAll
    static void declare() throws Exception {
        loops = new NettyLoops(2, SocketKind.preferred(), new TaskFailures(), Duration.ZERO);
        BrokerEngine engine = new BrokerEngine(new BrokerConfig(List.of("/"), 64L << 20), loops.all());
        Operations operations = engine.operations(Protocols::published);
        CompletableFuture<Void> declared = new CompletableFuture<>();
        Loop loop = loops.all().getFirst();
        loop.execute(() -> engine.connect(
                new ClientSpec("/", ANN.user(), "test", "test", "test", "", false, new Quiet()), loop,
                told(declared, client -> declareNext(client, 0, declared))));
        declared.get(60, TimeUnit.SECONDS);
        for (int i = 0; i < 5; i++) {
            operations.publish(ANN, "/", new Publication(
                    "", "q077777", false, null, null, null, Map.of(), Map.of(), new byte[10]))
                    .get(10, TimeUnit.SECONDS);
        }
        api = new HttpApi(counted(operations), server(), List.of(), Duration.ofSeconds(30));
    }

    @AfterAll
    static void stop() {
        loops.close();
    }

    /** One after the other, and as many at a time as a turn has room for. */
    private static void declareNext(Client client, int from, CompletableFuture<Void> end) {
        int to = Math.min(QUEUES, from + 1000);
        for (int i = from; i < to; i++) {
            boolean isLast = i == to - 1;
            client.declareQueue(
                    new QueueSpec(String.format("q%06d", i), false, false, false, Map.of()),
                    told(end, status -> {
                        if (isLast && to == QUEUES) {
                            end.complete(null);
                        } else if (isLast) {
                            declareNext(client, to, end);
                        }
                    }));
        }
    }

    private static <T> Reply<T> told(CompletableFuture<?> end, Consumer<T> then) {
        return new Reply<>() {
            @Override
            public void done(T result) {
                then.accept(result);
            }

            @Override
            public void failed(BrokerError error) {
                end.completeExceptionally(new AssertionError(error.toString()));
            }
        };
    }

    /** Nobody tells it anything. */
    private static final class Quiet implements ClientEvents {

        @Override
        public void closeRequested(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void resourcesLow(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void resourcesRecovered() {
            throw new AssertionError();
        }
    }

    private static Operations counted(Operations operations) {
        return (Operations) Proxy.newProxyInstance(
                Operations.class.getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("look")) {
                        int count = ((java.util.Collection<?>) arguments[0]).size();
                        LOOKED.addAndGet(count);
                        MOST_AT_A_TIME.accumulateAndGet(count, Math::max);
                    }
                    return method.invoke(operations, arguments);
                });
    }

    private static ServerOperations server() {
        Map<String, Object> answers = Map.of(
                "nodeName", "n", "version", "v",
                "users", Proxy.newProxyInstance(
                        UserDirectory.class.getClassLoader(), new Class<?>[] {UserDirectory.class},
                        (proxy, method, arguments) -> {
                            throw new AssertionError("not to be asked: " + method);
                        }),
                "login", CompletableFuture.completedFuture(new Login(ANN.user(), Optional.of(Role.MONITOR))));
        return (ServerOperations) Proxy.newProxyInstance(
                ServerOperations.class.getClassLoader(), new Class<?>[] {ServerOperations.class},
                (proxy, method, arguments) -> Optional.ofNullable(answers.get(method.getName())).orElseThrow());
    }

    private static JsonNode get(String path, Map<String, String> query) {
        Answer answer = api.answer(new HttpApi.Request(
                "GET", path, query, Map.of("authorization", "Basic YW5uOmE="), HttpApi.Body.NONE,
                new Peer("10.0.0.1:5", true)));
        assertThat(answer.status()).isEqualTo(200);
        return JSON.readTree(new String(answer.body(), StandardCharsets.UTF_8));
    }

    @Test
    void shouldLookAtNoMoreThanAPageByName() {
        long before = LOOKED.get();
        JsonNode page = get("/api/queues", Map.of("page", "500", "page_size", "100"));

        assertThat(page.path("total_count").asInt()).isEqualTo(QUEUES);
        assertThat(page.path("items").get(0).path("name").asString()).isEqualTo("q049900");
        assertThat(page.path("items")).hasSize(100);
        assertThat(LOOKED.get() - before).isEqualTo(100);
    }

    /** Whoever asks next gets what the first has found: a second later at the earliest, all are looked at again. */
    @Test
    void shouldLookAtAllOnceForAllWhoSortByWhatChangesAndForThePicture() {
        long before = LOOKED.get();
        Map<String, String> longest =
                Map.of("page", "1", "page_size", "50", "sort", "messages", "sort_reverse", "true");
        for (int console = 0; console < 5; console++) {
            JsonNode page = get("/api/queues", longest);
            assertThat(page.path("items").get(0).path("name").asString()).isEqualTo("q077777");
            assertThat(page.path("items").get(0).path("messages").asInt()).isEqualTo(5);
            assertThat(page.path("items")).hasSize(50);
        }
        assertThat(LOOKED.get() - before).isEqualTo(QUEUES + 5 * 50);

        before = LOOKED.get();
        for (int console = 0; console < 5; console++) {
            JsonNode flow = get("/api/flow", Map.of());
            assertThat(flow.path("queues")).hasSize(1);
            assertThat(flow.path("queues").get(0).path("name").asString()).isEqualTo("q077777");
            assertThat(flow.path("left_out").path("queues").asInt()).isEqualTo(QUEUES - 1);
            assertThat(flow.path("rest").path("messages").asInt()).isZero();
        }
        assertThat(LOOKED.get() - before).isEqualTo(QUEUES + 5);
        assertThat(MOST_AT_A_TIME.get()).as("of one call").isLessThanOrEqualTo(4096);
        assertThat(get("/api/why", Map.of()).path("addresses")).isEmpty();
    }
}
