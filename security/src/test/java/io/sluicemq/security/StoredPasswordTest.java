package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.Published;
import io.sluicemq.testkit.ManualLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logins of users of whose passwords only slow hashes are kept. */
class StoredPasswordTest {

    /** Failures that nobody minds. */
    private static final int MANY = 1_000_000;

    private static final Peer FAR = new Peer("192.0.2.7:50123", false);
    private static final int QUICK = ScramKeys.LEAST_ITERATIONS;

    private final Queue<Runnable> slow = new ArrayDeque<>();
    private boolean full;
    private final Published<Users> users = new Published<>(Users.of(List.of(ann("pencil", Access.ALL)), secret()));
    private final SaslAuthenticator authenticator = new SaslAuthenticator(users, false, MANY, new SlowHashes(task -> {
        if (full) {
            throw new RejectedExecutionException("full");
        }
        slow.add(task);
    }, () -> {}));
    private final ManualLoop loop = ManualLoop.single();

    private static byte[] secret() {
        return new byte[] {1, 2, 3};
    }

    private static User ann(String password, Access access) {
        return User.stored("ann", StoredPassword.of(password, QUICK, QUICK), Optional.empty(), false, access);
    }

    private static final class Outcome implements Reply<SaslStep> {
        private final List<SaslStep> steps = new ArrayList<>();
        private BrokerError refusal;

        @Override
        public void done(SaslStep step) {
            steps.add(step);
        }

        @Override
        public void failed(BrokerError error) {
            refusal = error;
        }

        Principal principal() {
            return ((SaslStep.Success) steps.getLast()).user();
        }

        boolean isOpen() {
            return steps.isEmpty() && refusal == null;
        }
    }

    private Outcome plain(String name, String password) {
        var outcome = new Outcome();
        SaslExchange exchange = authenticator.begin("PLAIN", FAR, loop);
        loop.run(() -> exchange.respond(("\0" + name + "\0" + password).getBytes(UTF_8), outcome));
        return outcome;
    }

    /** Runs what waits for a slow hash, and then the loop. */
    private int hash() {
        int count = slow.size();
        while (!slow.isEmpty()) {
            slow.poll().run();
        }
        loop.runAll();
        return count;
    }

    @Test
    void shouldCheckAPasswordOffTheLoopAndRememberIt() {
        Outcome first = plain("ann", "pencil");
        assertThat(first.isOpen()).isTrue();
        assertThat(hash()).isOne();
        assertThat(first.principal().name()).isEqualTo("ann");
        assertThat(plain("ann", "pencil").principal().name()).isEqualTo("ann");
        assertThat(slow).isEmpty();
    }

    @Test
    void shouldHashWhatIsWrongEachTime() {
        plain("ann", "pencil");
        hash();
        for (String wrong : List.of("pencil2", "Pencil", "pencil\u0007")) {
            Outcome outcome = plain("ann", wrong);
            assertThat(hash()).isOne();
            assertThat(outcome.refusal).isInstanceOf(BrokerError.LoginRefused.class);
        }
    }

    @Test
    void shouldTakeAsLongForANameThatNobodyHas() {
        Outcome outcome = plain("nobody", "pencil");
        assertThat(outcome.isOpen()).isTrue();
        assertThat(slow).hasSize(1);
        // The decoy's iterations are those of a user's that is stored by default.
        assertThat(users.get().decoys().keys(ScramHash.SHA_256, "nobody").iterations())
                .isEqualTo(ScramHash.SHA_256.iterations());
    }

    @Test
    void shouldForgetWhenThePasswordChangesAndNotBefore() {
        plain("ann", "pencil");
        hash();
        succeed(Users.of(List.of(User.stored("ann", StoredPassword.parse(
                users.get().find("ann").storedPassword().sha256(), users.get().find("ann").storedPassword().sha512()),
                Optional.empty(), false, Access.NONE)), secret()));
        assertThat(plain("ann", "pencil").principal().mayUse("/")).isFalse();
        assertThat(slow).isEmpty();
        succeed(Users.of(List.of(ann("pencil", Access.ALL)), secret()));
        assertThat(plain("ann", "pencil").isOpen()).isTrue();
    }

    @Test
    void shouldChangeWhatThoseMayWhoHaveLoggedIn() {
        Outcome login = plain("ann", "pencil");
        hash();
        Principal ann = login.principal();
        succeed(Users.of(List.of(ann("other", Access.inside(Set.of("shop")))), secret()));
        assertThat(ann.mayUse("/")).isFalse();
        assertThat(ann.mayUse("shop")).isTrue();
        succeed(Users.of(List.of(), secret()));
        assertThat(ann.mayUse("shop")).isFalse();
        succeed(Users.of(List.of(ann("pencil", Access.ALL)), secret()));
        assertThat(ann.mayUse("/")).as("somebody else of that name").isFalse();
    }

    private void succeed(Users next) {
        Users before = users.get();
        Users all = next.succeeding(before);
        users.publish(all);
        all.takeEffect(before);
    }

    @Test
    void shouldRefuseWhenTooManyWait() {
        full = true;
        assertThat(plain("ann", "pencil").refusal).isInstanceOf(BrokerError.LoginRefused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHA-256", "SHA-512"})
    void shouldServeScramByWhatIsStoredAtOnce(String hash) {
        var client = new ScramClient(hash, "ann", "pencil", "nonce");
        SaslExchange exchange = authenticator.begin("SCRAM-" + hash, FAR, loop);
        var outcome = new Outcome();
        loop.run(() -> exchange.respond(client.first(), outcome));
        byte[] challenge = ((SaslStep.Challenge) outcome.steps.getLast()).data();
        loop.run(() -> exchange.respond(client.last(challenge), outcome));
        assertThat(outcome.principal().name()).isEqualTo("ann");
        assertThat(slow).isEmpty();
    }

    @Test
    void shouldReadWhatItHasWrittenAndShowNothing() {
        StoredPassword password = StoredPassword.of("pencil", QUICK, QUICK);
        assertThat(StoredPassword.parse(password.sha256(), password.sha512())).isEqualTo(password);
        assertThat(password.toString()).doesNotContain(password.sha256()).doesNotContain("pencil");
        assertThat(StoredPassword.of("pencil", QUICK, QUICK)).isNotEqualTo(password);
    }

    @Test
    void shouldRefuseKeysThatAreNone() {
        StoredPassword good = StoredPassword.of("pencil", QUICK, QUICK);
        for (String bad : List.of(
                "", "1:2:3:4", good.sha512(), good.sha256() + "x", "100:" + good.sha256().substring(5),
                "99999999:" + good.sha256().substring(5))) {
            assertThatThrownBy(() -> StoredPassword.parse(bad, good.sha512()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> StoredPassword.of("bell\u0007")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("bell");
    }

    @Test
    void shouldCheckNamesAndPasswordsForOthersThanClients() {
        var right = authenticator.check("ann", "pencil".getBytes(UTF_8), FAR, 0);
        var wrong = authenticator.check("ann", "wrong".getBytes(UTF_8), FAR, 0);
        hash();
        assertThat(right.join()).map(User::name).contains("ann");
        assertThat(wrong.join()).isEmpty();
        assertThat(authenticator.check("ann", new byte[0], FAR, 0).join()).isEmpty();
    }
}
