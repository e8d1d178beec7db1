package io.sluicemq.security;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Published;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets in who knows the password of one of the {@link Users}, by PLAIN (RFC 4616) or AMQPLAIN; and, if that is allowed, anyone
 * on this machine by ANONYMOUS (RFC 4505). It answers at once. Any loop may call it.
 *
 * <p>A peer that is refused does not learn why, nor from how long it took; the log does, at a bounded rate.
 */
public final class SaslAuthenticator implements Authenticator {

    private static final Logger LOG = LoggerFactory.getLogger(SaslAuthenticator.class);
    private static final int MAX_LOGGED_CHARACTERS = 64;
    private static final Principal ANYONE = new Principal("anonymous", true, null);

    private final Published<Users> users;
    private final boolean anonymousAllowed;
    private final LogLimit logged = new LogLimit(TimeUnit.SECONDS.toNanos(1));
    private final LongAdder failures = new LongAdder();

    /**
     * @param users who may log in; asked anew each time
     * @param anonymousAllowed whether ANONYMOUS is offered to peers on loopback
     */
    public SaslAuthenticator(Published<Users> users, boolean anonymousAllowed) {
        this.users = users;
        this.anonymousAllowed = anonymousAllowed;
    }

    @Override
    public List<String> mechanisms(Peer peer) {
        return mayBeAnonymous(peer) ? List.of("PLAIN", "AMQPLAIN", "ANONYMOUS") : List.of("PLAIN", "AMQPLAIN");
    }

    @Override
    public void authenticate(String mechanism, byte[] response, Peer peer, Loop loop, Reply<Principal> reply) {
        try {
            switch (mechanism) {
                case "PLAIN" -> check(mechanism, PlainResponse.read(response), peer, loop, reply);
                case "AMQPLAIN" -> check(mechanism, AmqplainResponse.read(response), peer, loop, reply);
                case "ANONYMOUS" -> anonymous(peer, loop, reply);
                default -> refuse("", mechanism, "the mechanism was not offered", peer, loop, reply);
            }
        } catch (MalformedResponse e) {
            refuse("", mechanism, e.getMessage(), peer, loop, reply);
        }
    }

    @Override
    public void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply) {
        if (user.anonymous()) {
            refuse(user.name(), "a new secret", "an anonymous user has none", peer, loop, reply);
        } else if (secret.length == 0) {
            refuse(user.name(), "a new secret", "it is empty", peer, loop, reply);
        } else {
            check("a new secret", new Credentials(user.name(), secret, 0, secret.length), peer, loop, reply);
        }
    }

    /** How many logins and new secrets have been refused. */
    public long failures() {
        return failures.sum();
    }

    private boolean mayBeAnonymous(Peer peer) {
        return anonymousAllowed && peer.loopback();
    }

    private void anonymous(Peer peer, Loop loop, Reply<Principal> reply) {
        if (mayBeAnonymous(peer)) {
            reply.done(ANYONE);
        } else {
            refuse("", "ANONYMOUS", "the mechanism was not offered", peer, loop, reply);
        }
    }

    private void check(String mechanism, Credentials claimed, Peer peer, Loop loop, Reply<Principal> reply) {
        Users known = users.get();
        User user = known.find(claimed.name());
        boolean proved = known.isPassword(user, claimed.response(), claimed.passwordAt(), claimed.passwordLength());
        if (user == null) {
            refuse(claimed.name(), mechanism, "there is no such user", peer, loop, reply);
        } else if (!proved) {
            refuse(claimed.name(), mechanism, "the password is wrong", peer, loop, reply);
        } else if (user.isLoopbackOnly() && !peer.loopback()) {
            refuse(claimed.name(), mechanism, "the user may only connect via loopback", peer, loop, reply);
        } else {
            reply.done(user.principal());
        }
    }

    /** Logs the true reason, and tells the peer one that is the same for all. */
    private void refuse(
            String user, String mechanism, String reason, Peer peer, Loop loop, Reply<Principal> reply) {
        failures.increment();
        long times = logged.take(loop.nanoTime());
        if (times > 0) {
            LOG.warn(
                    "login of user '{}' from {} by {} refused: {}{}",
                    printable(user),
                    peer.address(),
                    printable(mechanism),
                    reason,
                    times == 1 ? "" : " (and " + (times - 1) + " more refused since the last such line)");
        }
        reply.failed(new BrokerError.LoginRefused("the user's name or password is not accepted"));
    }

    /** What a peer sent, fit for a line of the log: short, and without characters that would act there. */
    private static String printable(String text) {
        var shown = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (i == MAX_LOGGED_CHARACTERS) {
                return shown.append('…').toString();
            }
            char c = text.charAt(i);
            shown.append(Character.isISOControl(c) || Character.getType(c) == Character.FORMAT
                    || c == '\u2028' || c == '\u2029' ? '?' : c);
        }
        return shown.toString();
    }
}
