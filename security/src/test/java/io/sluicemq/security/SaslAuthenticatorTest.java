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
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaslAuthenticatorTest {

    /** Failures that nobody minds. */
    private static final int MANY = 1_000_000;

    private static final Peer NEAR = new Peer("127.0.0.1:50123", true);
    private static final Peer FAR = new Peer("192.0.2.7:50123", false);

    private final ManualLoop loop = ManualLoop.single();
    private final Published<Users> users = new Published<>(Users.of(List.of(
            new User("guest", "guest", Optional.empty(), true, Access.ALL),
            new User("jürgen", "pässword", Optional.empty(), false, Access.inside(Set.of("/", "shop"))))));
    private final SaslAuthenticator authenticator = new SaslAuthenticator(users, false, MANY);
    private final SaslAuthenticator permissive = new SaslAuthenticator(users, true, MANY);
    private final LogCapture log = new LogCapture();

    @AfterEach
    void closeLog() {
        log.close();
    }

    // ------------------------------------------------------------------------------------ mechanisms

    @Test
    void shouldOfferFirstWhatDoesNotSayThePassword() {
        String[] offered = {"SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN", "AMQPLAIN"};
        assertThat(authenticator.mechanisms(NEAR)).containsExactly(offered);
        assertThat(authenticator.mechanisms(FAR)).containsExactly(offered);
    }

    @Test
    void shouldOfferAnonymousOnLoopbackOnlyAndIfAllowed() {
        assertThat(permissive.mechanisms(NEAR)).endsWith("ANONYMOUS");
        assertThat(permissive.mechanisms(FAR)).doesNotContain("ANONYMOUS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"EXTERNAL", "CRAM-MD5", "SCRAM-SHA-1", "SCRAM-SHA-256-PLUS", "RABBIT-CR-DEMO", "plain", "",
        "PLAIN "})
    void shouldRefuseMechanismsThatAreNotOffered(String mechanism) {
        assertRefused(login(permissive, mechanism, plain("", "guest", "guest"), NEAR), "the mechanism was not offered");
    }

    // ------------------------------------------------------------------------------------ PLAIN, RFC 4616 §2

    @Test
    void shouldAcceptPlainWithAndWithoutAnAuthorizationIdentity() {
        assertThat(login("PLAIN", plain("", "guest", "guest"), NEAR).principal)
                .extracting(Principal::name).isEqualTo("guest");
        assertThat(login("PLAIN", plain("guest", "guest", "guest"), NEAR).principal)
                .extracting(Principal::name).isEqualTo("guest");
    }

    @Test
    void shouldAcceptNamesAndPasswordsInUtf8() {
        Principal principal = login("PLAIN", plain("", "jürgen", "pässword"), FAR).principal;
        assertThat(principal.name()).isEqualTo("jürgen");
        assertThat(principal.mayUse("shop")).isTrue();
        assertThat(principal.mayUse("other")).isFalse();
    }

    @Test
    void shouldNotLetAUserActAsAnother() {
        assertRefused(login("PLAIN", plain("admin", "guest", "guest"), NEAR), "it asks to act as another user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"guest", "\0", "\0guest", "\0guest\0", "\0\0", "\0\0guest", "guest\0guest",
        "guest\0guest\0"})
    void shouldRefusePlainWithPartsMissing(String response) {
        assertRefused(login("PLAIN", response.getBytes(UTF_8), NEAR), null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0guest\0guest\0", "\0guest\0guest\0guest", "\0guest\0\0guest", "\0\0guest\0guest"})
    void shouldRefusePlainWithPartsTooMany(String response) {
        assertRefused(login("PLAIN", response.getBytes(UTF_8), NEAR), "the response has more than two NULs");
    }

    @Test
    void shouldRefuseANameThatIsNotUtf8() {
        assertRefused(login("PLAIN", HexFormat.of().parseHex("00c3280067"), NEAR), "the name is not UTF-8");
    }

    /** Few, as the keys of each user take their time. */
    @Property(tries = 150)
    void shouldAcceptEveryNameAndPasswordThatPlainCanCarry(
            @ForAll @NotEmpty @CharRange(from = 1, to = '\ud7ff') String name,
            @ForAll @NotEmpty @CharRange(from = 1, to = '\ud7ff') String password) {
        var own = new SaslAuthenticator(
                new Published<>(Users.of(List.of(new User(name, password, Optional.empty(), false, Access.ALL)))),
                false, MANY);
        assertThat(login(own, "PLAIN", plain("", name, password), FAR).principal.name()).isEqualTo(name);
        assertThat(login(own, "AMQPLAIN", table("LOGIN", name, "PASSWORD", password), FAR).principal.name())
                .isEqualTo(name);
        assertThat(login(own, "PLAIN", plain("", name, password + "x"), FAR).refusal).isNotNull();
    }

    /** RFC 4422 §5: it is asked for its first response, if it sent none; AMQP 0-9-1 can only send an empty one. */
    @Test
    void shouldAskForAResponseThatWasNotSentAtFirst() {
        for (byte[] none : new byte[][] {null, {}}) {
            SaslExchange late = authenticator.begin("PLAIN", NEAR, loop);
            assertThat(respond(late, none).challenge).isEmpty();
            assertThat(respond(late, plain("", "guest", "guest")).principal.name())
                    .isEqualTo("guest");

            SaslExchange never = authenticator.begin("AMQPLAIN", NEAR, loop);
            assertThat(respond(never, none).challenge).isEmpty();
            assertRefused(respond(never, new byte[0]), "the response has no LOGIN or no PASSWORD");
        }
    }

    /** C045. */
    @Test
    void shouldAcceptAPasswordOfKilobytes() {
        String token = "t".repeat(6 << 10);
        users.publish(Users.of(List.of(new User("service", token, Optional.empty(), false, Access.ALL))));
        assertThat(login("PLAIN", plain("", "service", token), FAR).principal.name())
                .isEqualTo("service");
        assertThat(login("AMQPLAIN", table("LOGIN", "service", "PASSWORD", token), FAR).principal.name())
                .isEqualTo("service");
        assertRefused(login("PLAIN", plain("", "service", token + "x"), FAR), "the password is wrong");
        assertRefused(
                login("PLAIN", plain("", "service", "x".repeat(64 << 10)), FAR),
                "its responses are too many or too long");
    }

    // ------------------------------------------------------------------------------------ AMQPLAIN

    @Test
    void shouldAcceptAmqplainInAnyOrderAndWithFieldsItDoesNotKnow() {
        assertThat(login("AMQPLAIN", table("LOGIN", "guest", "PASSWORD", "guest"), NEAR).principal.name())
                .isEqualTo("guest");
        byte[] more = joined(
                HexFormat.of().parseHex("01617401"), // a: true
                HexFormat.of().parseHex("01624600000003016356"), // b: a table with c: void
                HexFormat.of().parseHex("016444ff00000001"), // d: a decimal
                HexFormat.of().parseHex("01656c0000000000000001"), // e: a long
                table("PASSWORD", "guest", "x", "y", "LOGIN", "guest"));
        assertThat(login("AMQPLAIN", more, NEAR).principal.name()).isEqualTo("guest");
    }

    @Test
    void shouldRefuseAmqplainWithoutBothFields() {
        assertRefused(login("AMQPLAIN", table("LOGIN", "guest"), NEAR), "the response has no LOGIN or no PASSWORD");
        assertRefused(login("AMQPLAIN", table("PASSWORD", "guest"), NEAR), "the response has no LOGIN or no PASSWORD");
        assertRefused(login("AMQPLAIN", table("login", "guest", "password", "guest"), NEAR), null);
    }

    @Test
    void shouldRefuseAmqplainThatSaysItTwice() {
        byte[] twice = table("LOGIN", "guest", "PASSWORD", "wrong", "PASSWORD", "guest");
        assertRefused(login("AMQPLAIN", twice, NEAR), "LOGIN and PASSWORD must be one long string each");
    }

    @Test
    void shouldRefuseAmqplainWithTheTablesLengthInFront() {
        byte[] table = table("LOGIN", "guest", "PASSWORD", "guest");
        byte[] withLength = joined(new byte[] {0, 0, 0, (byte) table.length}, table);
        assertRefused(login("AMQPLAIN", withLength, NEAR), null);
    }

    @Test
    void shouldRefuseAmqplainCutAnywhere() {
        byte[] whole = table("LOGIN", "guest", "PASSWORD", "guest");
        for (int length = 1; length < whole.length; length++) {
            assertRefused(login("AMQPLAIN", java.util.Arrays.copyOf(whole, length), NEAR), null);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "054c4f47494e53ffffffff", // a length of 2^32 - 1
                "054c4f47494e537fffffff",
                "ff4c4f47494e",
                "0161467fffffff",
                "01613f00",
                "0161",
            })
    void shouldRefuseAmqplainWithImpossibleLengthsAndTypes(String hex) {
        assertRefused(login("AMQPLAIN", HexFormat.of().parseHex(hex), NEAR), null);
    }

    @Property
    void shouldAnswerGarbageWithOneRefusal(@ForAll @NotEmpty byte[] garbage) {
        for (String mechanism : List.of("PLAIN", "AMQPLAIN", "EXTERNAL")) {
            assertRefused(login(mechanism, garbage, NEAR), null);
        }
        var spoilt = table("LOGIN", "guest", "PASSWORD", "guest");
        for (int i = 0; i < garbage.length; i++) {
            spoilt[(garbage[i] & 0xff) % spoilt.length] ^= (byte) (i + 1);
        }
        Answer answer = login("AMQPLAIN", spoilt, NEAR);
        assertThat(answer.count).isOne();
    }

    // ------------------------------------------------------------------------------------ ANONYMOUS, RFC 4505

    @Test
    void shouldAcceptAnonymousOnLoopbackIfAllowed() {
        assertThat(login(permissive, "ANONYMOUS", "sirhc".getBytes(UTF_8), NEAR).principal)
                .extracting(Principal::name).isEqualTo("anonymous");
        assertThat(login(permissive, "ANONYMOUS", new byte[0], NEAR).principal.anonymous()).isTrue();
        SaslExchange silent = permissive.begin("ANONYMOUS", NEAR, loop);
        assertThat(respond(silent, null).challenge).isEmpty();
        assertThat(respond(silent, new byte[0]).principal.anonymous()).isTrue();
        assertRefused(login(permissive, "ANONYMOUS", new byte[0], FAR), "the mechanism was not offered");
        assertRefused(login(authenticator, "ANONYMOUS", new byte[0], NEAR), "the mechanism was not offered");
    }

    // ------------------------------------------------------------------------------------ EXTERNAL, RFC 4422 appendix A

    private static Peer certified(String subject) {
        return new Peer("192.0.2.7:50123", false, new X500Principal(subject));
    }

    @Test
    void shouldOfferExternalFirstToPeersWithACertificateOnly() {
        assertThat(authenticator.mechanisms(certified("CN=jürgen"))).startsWith("EXTERNAL").contains("PLAIN");
        assertThat(authenticator.mechanisms(FAR)).doesNotContain("EXTERNAL");
        assertRefused(login("EXTERNAL", new byte[0], FAR), "the mechanism was not offered");
    }

    @Test
    void shouldTakeTheCommonNameOfTheCertificateForTheUser() {
        Peer peer = certified("CN=jürgen, OU=CN\\=guest, O=Shop");
        Principal expected = login("EXTERNAL", new byte[0], peer).principal;
        assertThat(expected.name()).isEqualTo("jürgen");
        assertThat(expected.mayUse("shop")).isTrue();
        assertThat(expected.mayUse("other")).isFalse();
        assertThat(login("EXTERNAL", new byte[0], peer).principal).isEqualTo(expected);
        assertThat(login("EXTERNAL", "jürgen".getBytes(UTF_8), peer).principal).isEqualTo(expected);
        SaslExchange silent = authenticator.begin("EXTERNAL", peer, loop);
        assertThat(respond(silent, null).challenge).isEmpty();
        assertThat(respond(silent, new byte[0]).principal).isEqualTo(expected);
        assertRefused(login("EXTERNAL", "guest".getBytes(UTF_8), peer), "it asks to act as another user");
    }

    @Test
    void shouldRefuseCertificatesThatAreNoUsers() {
        assertRefused(login("EXTERNAL", new byte[0], certified("CN=nobody")), "there is no such user");
        assertRefused(
                login("EXTERNAL", new byte[0], certified("O=jürgen")),
                "the certificate's subject does not have one common name, but 0");
        assertRefused(
                login("EXTERNAL", new byte[0], certified("CN=jürgen, CN=guest")),
                "the certificate's subject does not have one common name, but 2");
        assertRefused(login("EXTERNAL", new byte[0], certified("CN=jürgen+CN=guest")), null);
        assertRefused(
                login("EXTERNAL", new byte[0], certified("CN=guest")), "the user may only connect via loopback");
    }

    // ------------------------------------------------------------------------------------ who is let in

    @Test
    void shouldLetGuestInFromLoopbackOnly() {
        assertThat(login("PLAIN", plain("", "guest", "guest"), NEAR).principal).isNotNull();
        assertRefused(
                login("PLAIN", plain("", "guest", "guest"), FAR), "the user may only connect via loopback");
    }

    @Test
    void shouldRefuseAWrongPasswordAndAnUnknownUserAlike() {
        Answer wrong = login("PLAIN", plain("", "guest", "wrong"), NEAR);
        Answer unknown = login("PLAIN", plain("", "guesu", "guest"), NEAR);
        assertRefused(wrong, "the password is wrong");
        assertThat(reason(unknown)).isEqualTo(reason(wrong)).doesNotContain("guest");
        assertThat(reason(login("PLAIN", plain("", "guest", "guest"), FAR))).isEqualTo(reason(wrong));
    }

    @Test
    void shouldAskTheUsersOfTheMoment() {
        users.publish(Users.of(List.of(new User("new", "one", Optional.empty(), false, Access.ALL))));
        assertThat(login("PLAIN", plain("", "new", "one"), FAR).principal).isNotNull();
        assertRefused(login("PLAIN", plain("", "guest", "guest"), NEAR), "there is no such user");
    }

    @Test
    void shouldAcceptTheCurrentPasswordAsANewSecretAndNoOther() {
        Principal guest = Principal.named("guest", Access.ALL);
        assertThat(renewal(guest, "guest", NEAR).principal.name()).isEqualTo("guest");
        assertThat(renewal(guest, "wrong", NEAR).refusal).isNotNull();
        assertThat(renewal(guest, "", NEAR).refusal).isNotNull();
        assertThat(renewal(guest, "guest", FAR).refusal).isNotNull();
        assertThat(renewal(new Principal("anonymous", true, new Published<>(Access.ALL)), "x", NEAR).refusal)
                .isNotNull();
        assertThat(renewal(Principal.named("gone", Access.ALL), "x", NEAR).refusal).isNotNull();
    }

    @Test
    void shouldGiveTheVirtualHostsOfTheMomentWithANewSecret() {
        users.publish(
                Users.of(List.of(new User("jürgen", "new", Optional.empty(), false, Access.inside(Set.of("/"))))));
        Principal before = Principal.named("jürgen", Access.inside(Set.of("/", "shop")));
        assertThat(renewal(before, "new", FAR).principal.mayUse("shop")).isFalse();
    }

    // ------------------------------------------------------------------------------------ what is said

    @Test
    void shouldRefuseEvenTheRightPasswordFromWhereTooManyHaveFailed() {
        var strict = new SaslAuthenticator(users, false, 3);
        for (int i = 0; i < 3; i++) {
            assertRefused(login(strict, "PLAIN", plain("", "jürgen", "wrong"), FAR), "the password is wrong");
        }
        assertRefused(login(strict, "PLAIN", plain("", "jürgen", "pässword"), FAR),
                "too many logins from there have failed of late");
        assertThat(login(strict, "PLAIN", plain("", "jürgen", "pässword"), NEAR).principal).isNotNull();
        loop.advance(Duration.ofMinutes(1).toNanos());
        assertThat(login(strict, "PLAIN", plain("", "jürgen", "pässword"), FAR).principal).isNotNull();
    }

    @Test
    void shouldHaveALoginWaitWithWhoseNameTooManyHaveFailed() {
        var strict = new SaslAuthenticator(users, false, 3);
        for (int i = 0; i < 30; i++) {
            login(strict, "PLAIN", plain("", "jürgen", "wrong"), new Peer("192.0.2." + i + ":1", false));
        }
        int from = 0;
        for (String password : List.of("pässword", "wrong")) {
            var answer = new Answer();
            SaslExchange exchange = strict.begin("PLAIN", new Peer("198.51.100." + from++ + ":1", false), loop);
            loop.run(() -> exchange.respond(plain("", "jürgen", password), answer.steps()));
            loop.advance(Duration.ofMillis(900).toNanos());
            assertThat(answer.count).as(password).isZero();
            loop.advance(Duration.ofMillis(100).toNanos());
            assertThat(answer.count).as(password).isOne();
            assertThat(answer.principal != null).isEqualTo(password.equals("pässword"));
        }
        assertThat(strict.heldOff()).isEqualTo(2);
    }

    @Test
    void shouldLogRefusalsAtABoundedRateAndCountThem() {
        for (int i = 0; i < 100; i++) {
            login("PLAIN", plain("", "guest", "wrong"), FAR);
        }
        loop.advance(Duration.ofSeconds(1).toNanos());
        login("PLAIN", plain("", "nobody", "wrong"), FAR);

        assertThat(log.messages(Level.WARN))
                .containsExactly(
                        "login of user 'guest' from 192.0.2.7:50123 by PLAIN refused: the password is wrong",
                        "login of user 'nobody' from 192.0.2.7:50123 by PLAIN refused: there is no such user (and 99 more"
                                + " refused since the last such line)");
        assertThat(authenticator.failures()).isEqualTo(101);
    }

    @Test
    void shouldNotLogWhatWouldActOnTheLog() {
        login("PLAIN", plain("", "evil\r\n2026 INFO all is well\u001b[2J\u202e" + "x".repeat(200), "p"), FAR);
        assertThat(log.messages(Level.WARN))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains("'evil??2026 INFO all is well?[2J?xxx")
                        .hasSizeLessThan(200));
    }

    @Test
    void shouldNeverSayAPassword() {
        var user = new User("name", "secret-word", Optional.empty(), false, Access.ALL);
        var told = new ArrayList<String>();
        told.add(user.toString());
        told.add(Users.of(List.of(user)).toString());
        told.add(user.password().toString());
        told.add(PlainResponse.read(plain("", "name", "secret-word")).toString());
        login("PLAIN", plain("", "name", "secret-word"), NEAR);
        login("AMQPLAIN", table("LOGIN", "name", "PASSWORD", "secret-word", "PASSWORD", "secret-word"), NEAR);
        told.addAll(log.messages(Level.DEBUG));
        assertThat(told).noneMatch(text -> text.contains("secret"));
    }

    @Test
    void shouldRefuseUsersWhoCouldNeverLogIn() {
        assertThatThrownBy(() -> new User("", "x", Optional.empty(), false, Access.ALL))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new User("a\0b", "x", Optional.empty(), false, Access.ALL))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new User("name", "", Optional.empty(), false, Access.ALL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'name'");
        assertThatThrownBy(() -> new User("name", "secret\0word", Optional.empty(), false, Access.ALL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> Users.of(List.of(new User("a", "x", Optional.empty(), false, Access.ALL),
                new User("a", "y", Optional.empty(), false, Access.ALL))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a'");
    }

    @Test
    void shouldHaveGuestUnlessToldOtherwise() {
        Users only = Users.guestOnly();
        assertThat(only.size()).isOne();
        assertThat(only.find("guest").isLoopbackOnly()).isTrue();
    }

    // ------------------------------------------------------------------------------------ the test's own

    private Answer login(String mechanism, byte[] response, Peer peer) {
        return login(authenticator, mechanism, response, peer);
    }

    private Answer login(SaslAuthenticator asked, String mechanism, byte[] response, Peer peer) {
        return respond(asked.begin(mechanism, peer, loop), response);
    }

    private Answer respond(SaslExchange exchange, byte[] response) {
        var answer = new Answer();
        loop.run(() -> exchange.respond(response, answer.steps()));
        assertThat(answer.count).isOne();
        return answer;
    }

    private Answer renewal(Principal user, String secret, Peer peer) {
        var answer = new Answer();
        loop.run(() -> authenticator.renew(user, secret.getBytes(UTF_8), peer, loop, answer));
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

    private static String reason(Answer answer) {
        return ((BrokerError.LoginRefused) answer.refusal).reason();
    }

    private static byte[] plain(String actsAs, String name, String password) {
        return (actsAs + "\0" + name + "\0" + password).getBytes(UTF_8);
    }

    /** The entries of a field table whose values are long strings. */
    private static byte[] table(String... keysAndValues) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] key = keysAndValues[i].getBytes(UTF_8);
            byte[] value = keysAndValues[i + 1].getBytes(UTF_8);
            out.write(key.length);
            out.writeBytes(key);
            out.write('S');
            out.write(value.length >>> 24);
            out.write(value.length >>> 16);
            out.write(value.length >>> 8);
            out.write(value.length);
            out.writeBytes(value);
        }
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static final class Answer implements Reply<Principal> {

        private Principal principal;
        private BrokerError refusal;
        private byte[] challenge;
        private int count;

        Reply<SaslStep> steps() {
            return new Reply<>() {
                @Override
                public void done(SaslStep step) {
                    count++;
                    switch (step) {
                        case SaslStep.Challenge next -> challenge = next.data();
                        case SaslStep.Success success -> principal = success.user();
                    }
                }

                @Override
                public void failed(BrokerError error) {
                    Answer.this.failed(error);
                }
            };
        }

        @Override
        public void done(Principal result) {
            principal = result;
            count++;
        }

        @Override
        public void failed(BrokerError error) {
            refusal = error;
            count++;
        }
    }
}
