package io.sluicemq.security;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets in who knows the password of one of the {@link Users}, by SCRAM (RFC 5802, RFC 7677), PLAIN (RFC 4616) or AMQPLAIN; who has
 * a certificate of one, by EXTERNAL (RFC 4422); and, if that is allowed, anyone
 * on this machine by ANONYMOUS (RFC 4505). It answers at once. Any loop may call it.
 *
 * <p>A peer that is refused does not learn why, nor from how long it took; the log does, at a bounded rate.
 */
public final class SaslAuthenticator implements Authenticator {

    private static final Logger LOG = LoggerFactory.getLogger(SaslAuthenticator.class);
    private static final int MAX_LOGGED_CHARACTERS = 64;

    /** More than any mechanism takes in turns. */
    private static final int MAX_RESPONSES = 4;

    /** What one login may take of our memory and time; tokens of some kilobytes are in use as passwords. */
    private static final int MAX_RESPONSE_BYTES = 32 * 1024;

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
        List<String> offered = new ArrayList<>();
        if (peer.certificate() != null) {
            offered.add("EXTERNAL");
        }
        for (ScramHash hash : ScramHash.values()) {
            offered.add(hash.mechanism());
        }
        offered.add("PLAIN");
        offered.add("AMQPLAIN");
        if (mayBeAnonymous(peer)) {
            offered.add("ANONYMOUS");
        }
        return offered;
    }

    @Override
    public SaslExchange begin(String mechanism, Peer peer, Loop loop) {
        return new Exchange(mechanism, mechanism(mechanism, peer), peer, loop);
    }

    private Mechanism mechanism(String name, Peer peer) {
        if (!mechanisms(peer).contains(name)) {
            return response -> {
                throw new Refusal(null, "the mechanism was not offered");
            };
        }
        return switch (name) {
            case "EXTERNAL" -> new ExternalMechanism(users, peer);
            case "PLAIN" -> new PasswordMechanism(PlainResponse::read, users, peer);
            case "AMQPLAIN" -> new PasswordMechanism(AmqplainResponse::read, users, peer);
            case "ANONYMOUS" -> SaslAuthenticator::anonymous;
            default -> new ScramMechanism(scramHash(name), users, peer);
        };
    }

    private static ScramHash scramHash(String mechanism) {
        for (ScramHash hash : ScramHash.values()) {
            if (hash.mechanism().equals(mechanism)) {
                return hash;
            }
        }
        throw new IllegalStateException(mechanism + " is offered, and not there");
    }

    /** What the peer says of itself (RFC 4505 §2) is for traces, and there are none. */
    private static SaslStep anonymous(byte[] response) {
        return response == null ? Mechanism.yourTurn() : new SaslStep.Success(ANYONE, null);
    }

    @Override
    public void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply) {
        Principal renewed;
        try {
            if (user.anonymous()) {
                throw new Refusal(user.name(), "an anonymous user has none");
            }
            if (secret.length == 0) {
                throw new Refusal(user.name(), "it is empty");
            }
            renewed = users.get().admit(new Credentials(user.name(), secret, 0, secret.length), peer);
        } catch (Refusal e) {
            refuse(e, "a new secret", peer, loop, reply);
            return;
        }
        reply.done(renewed);
    }

    /**
     * One login; gives its peer so many responses and bytes. Owned by the peer's loop.
     */
    private final class Exchange implements SaslExchange {

        private final String name;
        private final Mechanism mechanism;
        private final Peer peer;
        private final Loop loop;
        private int responses;
        private long bytes;
        private boolean over;

        Exchange(String name, Mechanism mechanism, Peer peer, Loop loop) {
            this.name = name;
            this.mechanism = mechanism;
            this.peer = peer;
            this.loop = loop;
        }

        @Override
        public void respond(byte[] response, Reply<SaslStep> reply) {
            if (over) {
                throw new IllegalStateException("a response after the outcome");
            }
            SaslStep next;
            try {
                next = judge(response);
            } catch (Refusal e) {
                over = true;
                refuse(e, name, peer, loop, reply);
                return;
            }
            over = next instanceof SaslStep.Success;
            reply.done(next);
        }

        private SaslStep judge(byte[] response) {
            responses++;
            bytes += response == null ? 0 : response.length;
            if (responses > MAX_RESPONSES || bytes > MAX_RESPONSE_BYTES) {
                throw new Refusal(null, "its responses are too many or too long");
            }
            if (response == null && responses > 1) {
                throw new IllegalArgumentException("only an initial response may be missing");
            }
            return mechanism.next(response);
        }
    }

    /** How many logins and new secrets have been refused. */
    public long failures() {
        return failures.sum();
    }

    private boolean mayBeAnonymous(Peer peer) {
        return anonymousAllowed && peer.loopback();
    }

    /** Logs the true reason, and tells the peer one that is the same for all. */
    private void refuse(Refusal refusal, String mechanism, Peer peer, Loop loop, Reply<?> reply) {
        failures.increment();
        long times = logged.take(loop.nanoTime());
        if (times > 0) {
            LOG.warn(
                    "login of user '{}' from {} by {} refused: {}{}",
                    printable(refusal.user() == null ? "" : refusal.user()),
                    peer.address(),
                    printable(mechanism),
                    refusal.getMessage(),
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
