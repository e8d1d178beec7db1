package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.Published;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.ManualLoop;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SCRAM: RFC 5802, RFC 7677. */
class ScramTest {

    /** Failures that nobody minds. */
    private static final int MANY = 1_000_000;

    private static final Peer FAR = new Peer("192.0.2.7:50123", false);
    private static final String NONCE = "fyko+d2lbbFgONRv9qkxdawL";

    private final ManualLoop loop = ManualLoop.single();
    private final Published<Users> users = new Published<>(Users.of(List.of(
            new User("user", "pencil", Optional.empty(), false, Access.inside(Set.of("/"))),
            new User("a,b=c", "x", Optional.empty(), false, Access.ALL),
            new User("IX", "Ⅳ\u00ad", Optional.empty(), false, Access.ALL),
            new User("control", "tab\there", Optional.empty(), false, Access.ALL),
            new User("guest", "guest", Optional.empty(), true, Access.ALL))));
    private final SaslAuthenticator authenticator = new SaslAuthenticator(users, false, MANY);
    private final LogCapture log = new LogCapture();

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** RFC 7677 §3: the test's client itself, and the hashes of the server. */
    @Test
    void shouldComputeAsInTheExampleOfTheSpecification() {
        var client = new ScramClient("SHA-256", "user", "pencil", "rOprNGfwEbeRWgbNEkqO");
        String challenge = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        assertThat(new String(client.last(challenge.getBytes(UTF_8)), UTF_8))
                .isEqualTo("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                        + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(ScramClient.base64(client.serverSignature))
                .isEqualTo("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHA-256", "SHA-512"})
    void shouldLetInWhoKnowsThePasswordAndProveToKnowItToo(String hash) {
        var client = new ScramClient(hash, "user", "pencil", NONCE);
        SaslExchange exchange = authenticator.begin("SCRAM-" + hash, FAR, loop);
        Answer challenge = respond(exchange, client.first());
        assertThat(new String(challenge.challenge, UTF_8))
                .matches("r=" + java.util.regex.Pattern.quote(NONCE) + "[!-+\\--~]{32},s=[A-Za-z0-9+/]{22}==,i=4096");
        Answer outcome = respond(exchange, client.last(challenge.challenge));
        assertThat(outcome.principal.name()).isEqualTo("user");
        assertThat(outcome.additional()).isEqualTo("v=" + ScramClient.base64(client.serverSignature));
    }

    @Test
    void shouldAskForTheFirstMessageIfNoneWasSent() {
        var client = new ScramClient("SHA-256", "user", "pencil", NONCE);
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        assertThat(respond(exchange, null).challenge).isEmpty();
        Answer challenge = respond(exchange, client.first());
        assertThat(respond(exchange, client.last(challenge.challenge)).principal.name())
                .isEqualTo("user");
    }

    @Test
    void shouldNotAskTwice() {
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        assertThat(respond(exchange, new byte[0]).challenge).isEmpty();
        assertRefused(respond(exchange, new byte[0]), "the message has parts missing");
    }

    /** RFC 5802 §5.1, attribute n. */
    @Test
    void shouldUndoTheEscapesOfNames() {
        assertThat(login("a,b=c", "x").principal.name()).isEqualTo("a,b=c");
    }

    /** RFC 4013 §3: compatibility characters are equal to what they stand for, and soft hyphens are nothing. */
    @Test
    void shouldPrepareNamesAndPasswords() {
        assertThat(login("\u2168", "IV").principal.name()).isEqualTo("IX");
        assertThat(login("I\u00adX", "IV").principal.name()).isEqualTo("IX");
        assertRefused(login("IX", "VI"), "the password is wrong");
        assertRefused(login("user\u0007", "pencil"), "the name holds characters that no name may have");
        assertThatThrownBy(
                () -> Users.of(List.of(new User("IX", "x", Optional.empty(), false, Access.ALL),
                        new User("\u2168", "x", Optional.empty(), false, Access.ALL))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SASLprep");
    }

    @Test
    void shouldRefuseAWrongPasswordAndAnUnknownUserAtTheSamePointAndAlike() {
        Answer wrong = login("user", "pen");
        assertRefused(wrong, "the password is wrong");
        Answer unknown = login("nobody", "pencil");
        assertThat(((BrokerError.LoginRefused) unknown.refusal).reason())
                .isEqualTo(((BrokerError.LoginRefused) wrong.refusal).reason());
        assertRefused(unknown, "there is no such user, or its password can't be prepared (RFC 4013)");
        assertRefused(
                login("control", "tab\there"), "there is no such user, or its password can't be prepared (RFC 4013)");
        assertRefused(login("guest", "guest"), "the user may only connect via loopback");
    }

    @Test
    void shouldNotTellByTheSaltWhichNamesAreUsers() {
        assertThat(salt("SHA-256", "nobody")).isEqualTo(salt("SHA-256", "nobody"))
                .isNotEqualTo(salt("SHA-256", "user"));
        assertThat(salt("SHA-256", "nobody")).isNotEqualTo(salt("SHA-512", "nobody"));
        String before = salt("SHA-256", "user");
        users.publish(Users.of(List.of(new User("nobody", "now", Optional.empty(), false, Access.ALL))));
        assertThat(salt("SHA-256", "user")).isEqualTo(before);
        assertThat(login("nobody", "now").principal.name()).isEqualTo("nobody");
    }

    private String salt(String hash, String name) {
        SaslExchange exchange = authenticator.begin("SCRAM-" + hash, FAR, loop);
        byte[] first = new ScramClient(hash, name, "", NONCE).first();
        return new String(respond(exchange, first).challenge, UTF_8).split(",")[1];
    }

    @Test
    void shouldGiveEachExchangeANonceOfItsOwn() {
        byte[] first = new ScramClient("SHA-256", "user", "", NONCE).first();
        var one = respond(authenticator.begin("SCRAM-SHA-256", FAR, loop), first).challenge;
        var other = respond(authenticator.begin("SCRAM-SHA-256", FAR, loop), first).challenge;
        assertThat(one).isNotEqualTo(other);
    }

    /** RFC 5802 §6: a client that could bind the channel, and was offered no way to, says y. */
    @Test
    void shouldTakeClientsThatCouldBindTheChannelButNotThoseThatDo() {
        var able = new ScramClient("SHA-256", "user", "pencil", NONCE);
        able.gs2Header = "y,,";
        assertThat(login(able).principal).isNotNull();
        var bound = new ScramClient("SHA-256", "user", "pencil", NONCE);
        bound.gs2Header = "p=tls-exporter,,";
        assertRefused(login(bound), "it wants a channel binding");
    }

    @Test
    void shouldRefuseAHeaderThatChanges() {
        var client = new ScramClient("SHA-256", "user", "pencil", NONCE);
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        Answer challenge = respond(exchange, client.first());
        client.gs2Header = "y,,";
        assertRefused(respond(exchange, client.last(challenge.challenge)), "the channel binding is not what it was");
    }

    @Test
    void shouldLetAUserActAsThatUserOnly() {
        var same = new ScramClient("SHA-256", "a,b=c", "x", NONCE);
        same.gs2Header = "n,a=a=2Cb=3Dc,";
        assertThat(login(same).principal.name()).isEqualTo("a,b=c");
        var other = new ScramClient("SHA-256", "user", "pencil", NONCE);
        other.gs2Header = "n,a=guest,";
        assertRefused(login(other), "it asks to act as another user");
    }

    @Test
    void shouldRefuseAProofOfAnotherExchange() {
        var client = new ScramClient("SHA-256", "user", "pencil", NONCE);
        SaslExchange listened = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        byte[] proof = client.last(respond(listened, client.first()).challenge);
        SaslExchange replayed = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        respond(replayed, client.first());
        assertRefused(respond(replayed, proof), "the nonce is not the one it was given");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "n", "n,", "n,,", "n,,n=user", "n,,n=,r=abc", "n,,n=user,r=", "n,,r=abc,n=user", "n,,m=x,n=user,r=abc",
                "x,,n=user,r=abc", "N,,n=user,r=abc", ",,n=user,r=abc", "n,user,n=user,r=abc", "n,a=,n=user,r=abc",
                "n,,n=us=er,r=abc", "n,,n=us=2cer,r=abc", "n,,n=user=,r=abc", "n,,n=user,r=a bc", "n,,n=user,r=ä",
                "p=tls-unique,,n=user,r=abc", "p=,,n=user,r=abc", "user", "\0user\0pencil"
            })
    void shouldRefuseFirstMessagesThatAreNone(String first) {
        assertRefused(respond(authenticator.begin("SCRAM-SHA-256", FAR, loop), first.getBytes(UTF_8)), null);
    }

    /** RFC 5802 §7: extensions behind the nonce are for those who know them. */
    @Test
    void shouldPassOverExtensionsItDoesNotKnow() {
        var client = new ScramClient("SHA-256", "user", "pencil", NONCE);
        client.bare += ",x=something";
        assertThat(login(client).principal).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "c=biws", "c=biws,r=NONCE", "c=biws,r=NONCE,", "c=biws,r=NONCE,p=", "c=biws,r=NONCE,p=!",
                "c=biws,r=NONCE,p=AAAA", "r=NONCE,c=biws,p=AAAA", "c=,r=NONCE,p=AAAA", "c=!,r=NONCE,p=AAAA",
                "c=biws,r=,p=AAAA", "c=biws,p=AAAA", ",,", "c=biws,r=NONCEx,p=AAAA", "\0user\0pencil"
            })
    void shouldRefuseFinalMessagesThatAreNone(String last) {
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        Answer challenge = respond(exchange, new ScramClient("SHA-256", "user", "", NONCE).first());
        String nonce = new String(challenge.challenge, UTF_8).split(",")[0].substring(2);
        assertRefused(respond(exchange, last.replace("NONCE", nonce).getBytes(UTF_8)), null);
    }

    @Property(tries = 300)
    void shouldRefuseEveryFinalMessageThatDiffersInABit(@ForAll @IntRange(max = 3000) int bit) {
        var client = new ScramClient("SHA-256", "user", "pencil", NONCE);
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        byte[] last = client.last(respond(exchange, client.first()).challenge);
        byte[] spoilt = last.clone();
        spoilt[bit / 8 % spoilt.length] ^= (byte) (1 << bit % 8);
        if (!meansTheSame(last, spoilt)) {
            assertRefused(respond(exchange, spoilt), null);
        }
    }

    /** The last characters of base 64 have bits that stand for nothing. */
    private static boolean meansTheSame(byte[] one, byte[] other) {
        String[] ones = new String(one, UTF_8).split(",");
        String[] others = new String(other, UTF_8).split(",");
        try {
            return ones.length == 3 && others.length == 3 && ones[1].equals(others[1]) && sameBytes(ones[0], others[0])
                    && sameBytes(ones[2], others[2]);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean sameBytes(String one, String other) {
        return one.substring(0, 2).equals(other.substring(0, 2))
                && java.util.Arrays.equals(
                        Base64.getDecoder().decode(one.substring(2)), Base64.getDecoder().decode(other.substring(2)));
    }

    @Property(tries = 300)
    void shouldAnswerGarbageWithOneRefusal(@ForAll byte[] first, @ForAll byte[] second) {
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-512", FAR, loop);
        Answer answer = respond(exchange, first);
        if (answer.challenge != null) {
            answer = respond(exchange, second);
            if (answer.challenge == null) {
                assertRefused(answer, null);
            }
        } else {
            assertRefused(answer, null);
        }
    }

    @Test
    void shouldTakeNothingAfterTheOutcome() {
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        assertRefused(respond(exchange, "x".getBytes(UTF_8)), null);
        assertThatThrownBy(() -> exchange.respond(new byte[0], new Answer())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldNeverSayAKey() {
        assertThat(users.get().find("user").scramKeys(ScramHash.SHA_256)).hasToString("keys");
    }

    // ------------------------------------------------------------------------------------ the test's own

    private Answer login(String name, String password) {
        return login(new ScramClient("SHA-256", name, password, NONCE));
    }

    private Answer login(ScramClient client) {
        SaslExchange exchange = authenticator.begin("SCRAM-SHA-256", FAR, loop);
        Answer answer = respond(exchange, client.first());
        return answer.challenge == null ? answer : respond(exchange, client.last(answer.challenge));
    }

    private Answer respond(SaslExchange exchange, byte[] response) {
        var answer = new Answer();
        loop.run(() -> exchange.respond(response, answer));
        assertThat(answer.count).isOne();
        return answer;
    }

    /** @param logged the end of the line in the log; null for any or none */
    private void assertRefused(Answer answer, String logged) {
        assertThat(answer.principal).isNull();
        assertThat(answer.refusal).isInstanceOf(BrokerError.LoginRefused.class);
        if (logged != null) {
            assertThat(log.messages(Level.WARN).getLast()).endsWith(" refused: " + logged);
        }
        // So that the next refusal is logged too.
        loop.advance(Duration.ofSeconds(1).toNanos());
    }

    private static final class Answer implements Reply<SaslStep> {

        private byte[] challenge;
        private Principal principal;
        private byte[] additionalData;
        private BrokerError refusal;
        private int count;

        private String additional() {
            return new String(additionalData, UTF_8);
        }

        @Override
        public void done(SaslStep step) {
            count++;
            switch (step) {
                case SaslStep.Challenge next -> challenge = next.data();
                case SaslStep.Success success -> {
                    principal = success.user();
                    additionalData = success.additionalData();
                }
            }
        }

        @Override
        public void failed(BrokerError error) {
            count++;
            refusal = error;
        }
    }
}
