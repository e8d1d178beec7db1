package io.sluicemq.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.security.FailedLogins.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {

    private static final Peer GUESSER = new Peer("192.0.2.7:50123", false);
    private static final Peer OTHER = new Peer("192.0.2.8:50123", false);

    private final FailedLogins logins = new FailedLogins(10);
    private long now = -5; // any number may be the time

    private void fail(Peer peer, String user, int times) {
        for (int i = 0; i < times; i++) {
            logins.failed(peer, user, now);
        }
    }

    private void advance(Duration time) {
        now += time.toNanos();
    }

    @Test
    void shouldLetNobodyInFromWhereTooManyHaveFailed() {
        fail(GUESSER, "ann", 9);
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.JUDGED);
        fail(new Peer("192.0.2.7:999", false), "ben", 1);
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.REFUSED);
        assertThat(logins.verdict(GUESSER, "anybody", now)).isEqualTo(Verdict.REFUSED);
        assertThat(logins.verdict(OTHER, "ann", now)).isEqualTo(Verdict.JUDGED);
    }

    @Test
    void shouldForgetInTime() {
        fail(GUESSER, "ann", 10);
        advance(Duration.ofSeconds(7));
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.JUDGED);
        fail(GUESSER, "ann", 1);
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.REFUSED);
        fail(GUESSER, "ann", 10_000);
        advance(Duration.ofSeconds(67));
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.JUDGED);
    }

    @Test
    void shouldLetInWhoWasThereBefore() {
        logins.succeeded(GUESSER, "ann");
        fail(GUESSER, "ben", 1_000);
        assertThat(logins.verdict(GUESSER, "ben", now)).isEqualTo(Verdict.REFUSED);
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.JUDGED);
        fail(GUESSER, "ann", 10);
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.REFUSED);
    }

    /** From a thousand addresses, one failure each: nobody is locked out. */
    @Test
    void shouldSlowGuessersOfANameDownAndLockNobodyOut() {
        logins.succeeded(OTHER, "ann");
        for (int i = 0; i < 1_000; i++) {
            fail(new Peer("10.0." + i / 250 + "." + i % 250 + ":1", false), "ann", 1);
        }
        assertThat(logins.verdict(GUESSER, "ann", now)).isEqualTo(Verdict.WAITS);
        assertThat(logins.verdict(OTHER, "ann", now)).isEqualTo(Verdict.JUDGED);
        assertThat(logins.verdict(GUESSER, "ben", now)).isEqualTo(Verdict.JUDGED);
    }

    @Test
    void shouldTakeAnIpv6NetworkForOneAddress() {
        for (int i = 0; i < 10; i++) {
            fail(new Peer("[2001:db8:1:2:0:0:0:" + i + "]:1", false), null, 1);
        }
        assertThat(logins.verdict(new Peer("[2001:db8:1:2:9:9:9:9]:1", false), "ann", now)).isEqualTo(Verdict.REFUSED);
        assertThat(logins.verdict(new Peer("[2001:db8:1:3:0:0:0:1]:1", false), "ann", now)).isEqualTo(Verdict.JUDGED);
    }
}
