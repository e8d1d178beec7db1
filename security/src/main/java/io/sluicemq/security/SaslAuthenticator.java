package io.sluicemq.security;

import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Printable;
import io.sluicemq.base.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets in who knows the password of one of the {@link Users}, by SCRAM (RFC 5802, RFC 7677), PLAIN (RFC 4616) or AMQPLAIN; who has
 * a certificate of one, by EXTERNAL (RFC 4422); and, if that is allowed, anyone
 * on this machine by ANONYMOUS (RFC 4505). It answers at once, but where a password has to be compared with a slow hash: that is done
 * by {@link SlowHashes}. Any loop may call it.
 *
 * <p>A peer that is refused does not learn why, nor from how long it took; the log does, at a bounded rate.
 */
public final class SaslAuthenticator implements Authenticator, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SaslAuthenticator.class);

    /** Refusals are told there: who may read about them is for the log's configuration to say. */
    private static final Logger AUDIT = LoggerFactory.getLogger(Audit.LOGGER);

    /** So long a login waits whose name too many have failed with. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String NEW_SECRET = "a new secret";
    private static final String CHECK = "name and password";

    /** More than any mechanism takes in turns. */
    private static final int MAX_RESPONSES = 4;

    /** What one login may take of our memory and time; tokens of some kilobytes are in use as passwords. */
    private static final int MAX_RESPONSE_BYTES = 32 * 1024;

    private static final Principal ANYONE = new Principal("anonymous", true, new Published<>(Access.ALL));

    private final Published<Users> users;
    private final boolean anonymousAllowed;
    private final SlowHashes hashes;
    private final LogLimit logged = new LogLimit(TimeUnit.SECONDS.toNanos(1));
    private final LogLimit defects = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final LongAdder failures = new LongAdder();
    private final LongAdder heldOff = new LongAdder();
    private final FailedLogins failedLogins;

    /**
     * @param users who may log in; asked anew each time
     * @param anonymousAllowed whether ANONYMOUS is offered to peers on loopback
     * @param failuresAMinute how many logins may fail a minute from one address before others from there are refused
     */
    public SaslAuthenticator(Published<Users> users, boolean anonymousAllowed, int failuresAMinute) {
        this(users, anonymousAllowed, failuresAMinute, new SlowHashes());
    }

    SaslAuthenticator(Published<Users> users, boolean anonymousAllowed, int failuresAMinute, SlowHashes hashes) {
        this.users = users;
        this.anonymousAllowed = anonymousAllowed;
        this.hashes = hashes;
        this.failedLogins = new FailedLogins(failuresAMinute);
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
    private static Judgement anonymous(byte[] response) {
        return response == null ? Mechanism.yourTurn() : Judgement.success(ANYONE);
    }

    @Override
    public void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply) {
        Judgement judgement;
        try {
            if (user.anonymous()) {
                throw new Refusal(user.name(), "an anonymous user has none");
            }
            if (secret.length == 0) {
                throw new Refusal(user.name(), "it is empty");
            }
            judgement = users.get().judge(new Credentials(user.name(), secret, 0, secret.length), peer);
        } catch (Refusal e) {
            refuse(e, NEW_SECRET, peer, loop, reply);
            return;
        }
        conclude(judgement, peer, loop, step -> reply.done(((SaslStep.Success) step).user()),
                refusal -> refuse(refusal, NEW_SECRET, peer, loop, reply));
    }

    /**
     * Asks whether somebody who has told a name and a password is that user. Any thread.
     *
     * @param password in UTF-8
     * @param nowNanos the time
     * @return the user; empty if they are not let in, which the log explains
     */
    public CompletableFuture<Optional<User>> check(String name, byte[] password, Peer peer, long nowNanos) {
        switch (failedLogins.verdict(peer, name, nowNanos)) {
            case JUDGED -> {
                return judged(name, password, peer, nowNanos);
            }
            case REFUSED -> {
                log(tooManyFailed(name), CHECK, peer, nowNanos);
                return CompletableFuture.completedFuture(Optional.empty());
            }
            case WAITS -> {
                heldOff.increment();
                Executor later = CompletableFuture.delayedExecutor(WAIT_NANOS, TimeUnit.NANOSECONDS);
                return CompletableFuture.runAsync(() -> {}, later)
                        .thenCompose(waited -> judged(name, password, peer, nowNanos));
            }
        }
        throw new IllegalStateException("a verdict of another kind");
    }

    private CompletableFuture<Optional<User>> judged(String name, byte[] password, Peer peer, long nowNanos) {
        try {
            Users all = users.get();
            Judgement judgement = all.judge(new Credentials(name, password, 0, password.length), peer);
            if (judgement instanceof Judgement.Now) {
                failedLogins.succeeded(peer, name);
                return CompletableFuture.completedFuture(Optional.ofNullable(all.find(name)));
            }
            CompletableFuture<Optional<User>> answer = new CompletableFuture<>();
            boolean begun = hashes.tryRun(() -> {
                try {
                    ((Judgement.Slowly) judgement).finding().get();
                    failedLogins.succeeded(peer, name);
                    answer.complete(Optional.ofNullable(all.find(name)));
                } catch (Refusal e) {
                    failed(e, CHECK, peer, nowNanos);
                    answer.complete(Optional.empty());
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
            if (!begun) {
                log(tooMany(name), CHECK, peer, nowNanos);
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return answer;
        } catch (Refusal e) {
            failed(e, CHECK, peer, nowNanos);
            return CompletableFuture.completedFuture(Optional.empty());
        }
    }

    /**
     * Tells on the loop what comes of a judgement: sooner, or later, or never what is asked for, if too many have failed of late.
     */
    private void conclude(
            Judgement judgement, Peer peer, Loop loop, Consumer<SaslStep> done, Consumer<Refusal> refused) {
        switch (judgement) {
            case Judgement.Now now when now.step() instanceof SaslStep.Success success -> held(
                    success.user().name(), peer, loop, refused, () -> {
                        failedLogins.succeeded(peer, success.user().name());
                        done.accept(success);
                    });
            case Judgement.Now now -> done.accept(now.step());
            case Judgement.Slowly slowly -> held(
                    slowly.user(), peer, loop, refused, () -> hash(slowly, peer, loop, done, refused));
        }
    }

    /** Lets a login that claims to be a user go on: now, later, or not at all. */
    private void held(String user, Peer peer, Loop loop, Consumer<Refusal> refused, Runnable goOn) {
        switch (failedLogins.verdict(peer, user, loop.nanoTime())) {
            case JUDGED -> goOn.run();
            case WAITS -> {
                heldOff.increment();
                loop.schedule(WAIT_NANOS, goOn);
            }
            case REFUSED -> refused.accept(tooManyFailed(user));
        }
    }

    private void hash(
            Judgement.Slowly slowly, Peer peer, Loop loop, Consumer<SaslStep> done, Consumer<Refusal> refused) {
        boolean begun = hashes.tryRun(() -> {
            Runnable outcome = found(slowly, step -> {
                failedLogins.succeeded(peer, slowly.user());
                done.accept(step);
            }, refused);
            try {
                loop.execute(outcome);
            } catch (RejectedExecutionException e) {
                LOG.debug("nobody waits for a login any more, as the broker stops", e);
            }
        });
        if (!begun) {
            refused.accept(tooMany(slowly.user()));
        }
    }

    private Runnable found(Judgement.Slowly slowly, Consumer<SaslStep> done, Consumer<Refusal> refused) {
        try {
            SaslStep step = slowly.finding().get();
            return () -> done.accept(step);
        } catch (Refusal e) {
            return () -> refused.accept(e);
        } catch (RuntimeException | Error e) {
            long times = defects.take(System.nanoTime());
            if (times > 0) {
                LogEvent.PASSWORD_CHECK_FAILED.log(LOG,
                        "a password could not be checked: this is a defect of the broker{}",
                        times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)", e);
            }
            return () -> refused.accept(new Refusal(null, "the password could not be checked"));
        }
    }

    private static Refusal tooMany(String user) {
        return Refusal.unjudged(user, "too many others wait for their passwords to be checked");
    }

    private static Refusal tooManyFailed(String user) {
        return Refusal.unjudged(user, "too many logins from there have failed of late");
    }

    /** Logins that wait are not answered any more. */
    @Override
    public void close() {
        hashes.close();
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
        private boolean awaited;
        /** Whether it proves something that could be guessed. */
        private final boolean guessable;

        Exchange(String name, Mechanism mechanism, Peer peer, Loop loop) {
            this.name = name;
            this.mechanism = mechanism;
            this.peer = peer;
            this.loop = loop;
            this.guessable = !name.equals("EXTERNAL") && !name.equals("ANONYMOUS");
        }

        @Override
        public void respond(byte[] response, Reply<SaslStep> reply) {
            if (over || awaited) {
                throw new IllegalStateException(
                        over ? "a response after the outcome" : "a response while one is judged");
            }
            Judgement next;
            awaited = true;
            try {
                next = judge(response);
            } catch (Refusal e) {
                if (e.user() == null) {
                    refused(e, reply);
                } else {
                    // As long as it would take who is let in.
                    held(e.user(), peer, loop, refusal -> refused(refusal, reply), () -> refused(e, reply));
                }
                return;
            }
            Consumer<SaslStep> done = step -> {
                awaited = false;
                over = step instanceof SaslStep.Success;
                reply.done(step);
            };
            if (next instanceof Judgement.Now now && !guessable) {
                done.accept(now.step());
            } else {
                conclude(next, peer, loop, done, refusal -> refused(refusal, reply));
            }
        }

        private void refused(Refusal refusal, Reply<SaslStep> reply) {
            awaited = false;
            over = true;
            refuse(refusal, name, peer, loop, reply);
        }

        private Judgement judge(byte[] response) {
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

    /** How many logins had to wait, since too many had failed with their name. */
    public long heldOff() {
        return heldOff.sum();
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
        failed(refusal, mechanism, peer, loop.nanoTime());
        reply.failed(new BrokerError.LoginRefused("the user's name or password is not accepted"));
    }

    /** Counts and logs a refusal. */
    private void failed(Refusal refusal, String mechanism, Peer peer, long nowNanos) {
        if (refusal.isJudged()) {
            failedLogins.failed(peer, refusal.user(), nowNanos);
        }
        log(refusal, mechanism, peer, nowNanos);
    }

    private void log(Refusal refusal, String mechanism, Peer peer, long nowNanos) {
        failures.increment();
        long times = logged.take(nowNanos);
        if (times > 0) {
            LogEvent.LOGIN_REFUSED.log(AUDIT, "login of user '{}' from {} by {} refused: {}{}",
                    Printable.of(refusal.user() == null ? "" : refusal.user()),
                    peer.address(),
                    Printable.of(mechanism),
                    refusal.getMessage(),
                    times == 1 ? "" : " (and " + (times - 1) + " more refused since the last such line)");
        }
    }
}
