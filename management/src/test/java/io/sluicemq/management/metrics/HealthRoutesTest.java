package io.sluicemq.management.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.operate.Obstacle;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.operate.ShortageView;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.management.http.Answer;
import io.sluicemq.management.http.HttpApi;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** What health says, of a broker in every state: nobody logs in for it. */
class HealthRoutesTest {

    private CompletableFuture<Void> answering = CompletableFuture.completedFuture(null);
    private Optional<ShortageView> shortage = Optional.empty();
    private List<Obstacle> obstacles = List.of();

    private Answer get(String path) {
        Operations broker = of(Operations.class, Map.of());
        Operations asked = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "answering" -> {
                            if (answering == null) {
                                throw new RejectedExecutionException("the loops have ended");
                            }
                            return answering;
                        }
                        case "shortage" -> {
                            return CompletableFuture.completedFuture(shortage);
                        }
                        default -> {
                            return method.invoke(broker, arguments);
                        }
                    }
                });
        ServerOperations server = of(ServerOperations.class, Map.of(
                "obstacles", obstacles, "nodeName", "n", "version", "v", "users", of(UserDirectory.class, Map.of())));
        HttpApi api = new HttpApi(
                asked, server, new HealthRoutes(asked, server, Duration.ofMillis(50)).routes(), Duration.ofSeconds(1));
        return api.answer(new HttpApi.Request(
                "GET", path, Map.of(), Map.of(), HttpApi.Body.NONE, new Peer("192.0.2.1:1", false)));
    }

    private static <T> T of(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object answer = answers.get(method.getName());
                    if (answer == null) {
                        throw new AssertionError("not to be asked: " + method);
                    }
                    return answer;
                }));
    }

    private static String text(Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldBeLiveAndReadyWhenAllIsWell() {
        assertThat(get("/health/live").status()).isEqualTo(200);
        assertThat(text(get("/health/live"))).isEqualTo("{\"status\":\"live\"}");
        assertThat(get("/health/ready").status()).isEqualTo(200);
        assertThat(text(get("/health/ready"))).isEqualTo("{\"status\":\"ready\"}");
    }

    @Test
    void shouldBeNeitherWhenALoopDoesNotAnswer() {
        answering = new CompletableFuture<>();

        assertThat(get("/health/live").status()).isEqualTo(503);
        assertThat(text(get("/health/live"))).contains("\"status\":\"stuck\"", "\"reason\":\"loops-stuck\"");
        assertThat(get("/health/ready").status()).isEqualTo(503);
        assertThat(text(get("/health/ready"))).contains("\"reason\":\"loops-stuck\"");
    }

    @Test
    void shouldBeNeitherWhenTheLoopsHaveEnded() {
        answering = null;

        assertThat(get("/health/live").status()).isEqualTo(503);
        assertThat(get("/health/ready").status()).isEqualTo(503);
    }

    @Test
    void shouldBeLiveButNotReadyWhileMemoryIsShortAndNotSayMoreThanThat() {
        shortage = Optional.of(new ShortageView("messages take more than the budget of 64 MiB of ann's queue", 10));

        assertThat(get("/health/live").status()).isEqualTo(200);
        Answer ready = get("/health/ready");
        assertThat(ready.status()).isEqualTo(503);
        assertThat(text(ready)).isEqualTo("{\"status\":\"not ready\",\"reasons\":[{\"reason\":\"memory-shortage\","
                + "\"text\":\"messages take all the memory that they may\"}]}");
    }

    @Test
    void shouldSayThatTheLogIsFullAndNotThatMemoryIs() {
        shortage = Optional.of(new ShortageView("no room on the disk of /var/lib/secret", 10));
        obstacles = List.of(Obstacle.LOG_FULL);

        assertThat(text(get("/health/ready"))).contains("log-full").doesNotContain("memory", "secret");
    }

    @Test
    void shouldSayThatTheLogHasFailedOrThatTheBrokerStops() {
        obstacles = List.of(Obstacle.LOG_FAILED);
        assertThat(text(get("/health/ready"))).contains("log-failed");

        obstacles = List.of(Obstacle.STOPPING);
        answering = new CompletableFuture<>(); // nobody waits for loops that are ending
        assertThat(text(get("/health/ready"))).contains("\"reason\":\"stopping\"").doesNotContain("loops-stuck");
    }
}
