package io.sluicemq.management.http;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.operate.Login;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.api.operate.ServerOperations;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Finds out whose requests these are: by HTTP Basic (RFC 7617). To prove a password may take long, and each request brings it again: so who has
 * proved one is known for a while by its keyed hash, whose key no one has but this object. Called by any thread; guarded by itself.
 */
final class Logins {

    private static final int MOST_KNOWN = 1000;
    private static final int LONGEST_HEADER = 4096;
    private static final String SCHEME = "basic ";

    private record Known(Login login, long untilNanos) {}

    private final ServerOperations server;
    private final long knownNanos;
    private final Duration limit;
    private final SecretKeySpec key;
    private final Map<String, Known> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > MOST_KNOWN;
        }
    };

    /**
     * @param knownFor how long a login is known without asking again
     * @param limit how long one may take
     */
    Logins(ServerOperations server, Duration knownFor, Duration limit) {
        this.server = server;
        this.knownNanos = knownFor.toNanos();
        this.limit = limit;
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        this.key = new SecretKeySpec(secret, "HmacSHA256");
    }

    /** Users have changed: all have to prove again who they are. */
    synchronized void forget() {
        known.clear();
    }

    /**
     * @param authorization the header of that name, or null
     * @throws ApiError 401 if nobody is proved by it
     */
    Login of(String authorization, Peer peer) {
        if (authorization == null) {
            throw new ApiError(401, "not_authorised", "a name and a password are needed (HTTP Basic)");
        }
        String mark = mark(authorization + (peer.loopback() ? " here" : " there"));
        synchronized (this) {
            Known found = known.get(mark);
            if (found != null && found.untilNanos() - System.nanoTime() > 0) {
                return found.login();
            }
        }
        Login login = proved(credentials(authorization), peer);
        synchronized (this) {
            known.remove(mark);
            known.put(mark, new Known(login, System.nanoTime() + knownNanos));
        }
        return login;
    }

    private String mark(String text) {
        try {
            Mac mac = Mac.getInstance(key.getAlgorithm());
            mac.init(key);
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has HmacSHA256", e);
        }
    }

    private record Credentials(String name, String password) {}

    private static Credentials credentials(String authorization) {
        if (authorization.length() <= LONGEST_HEADER
                && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            try {
                String both = new String(
                        Base64.getDecoder().decode(authorization.substring(SCHEME.length()).strip()),
                        StandardCharsets.UTF_8);
                int colon = both.indexOf(':');
                if (colon > 0) {
                    return new Credentials(both.substring(0, colon), both.substring(colon + 1));
                }
            } catch (IllegalArgumentException e) {
                throw unreadable();
            }
        }
        throw unreadable();
    }

    private static ApiError unreadable() {
        return new ApiError(401, "not_authorised", "the header Authorization can't be read as HTTP Basic");
    }

    private Login proved(Credentials credentials, Peer peer) {
        try {
            return server.login(credentials.name(), credentials.password(), peer)
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiError(503, "unavailable", "the server stops");
        } catch (TimeoutException e) {
            throw new ApiError(503, "timeout", "the login took too long");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Refused refused) {
                throw refused.error() instanceof BrokerError.LoginRefused
                        ? new ApiError(401, "not_authorised", "Login failed")
                        : ApiError.of(refused.error());
            }
            throw new IllegalStateException("a login has failed: this is a defect", e.getCause());
        }
    }
}
