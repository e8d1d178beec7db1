package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Published;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Accepts guest with a password that may be very long, and anybody by ANONYMOUS. */
final class Login implements Authenticator {

    private final Principal guest = Principal.named("guest", Access.ALL);
    private final List<String> mechanisms;

    Login(String... mechanisms) {
        this.mechanisms = List.of(mechanisms);
    }

    @Override
    public List<String> mechanisms(Peer peer) {
        return mechanisms;
    }

    @Override
    public SaslExchange begin(String mechanism, Peer peer, Loop on) {
        return (response, reply) -> {
            String text = response == null ? "" : new String(response, StandardCharsets.UTF_8);
            if (!mechanisms.contains(mechanism)) {
                reply.failed(new BrokerError.LoginRefused("unknown mechanism"));
            } else if (mechanism.equals("ANONYMOUS")) {
                reply.done(new SaslStep.Success(new Principal("anonymous", true, new Published<>(Access.ALL)), null));
            } else if (text.startsWith("\0guest\0guest")) {
                reply.done(new SaslStep.Success(guest, null));
            } else {
                reply.failed(new BrokerError.LoginRefused("bad password"));
            }
        };
    }

    @Override
    public void renew(Principal user, byte[] secret, Peer peer, Loop on, Reply<Principal> reply) {
        reply.done(user);
    }
}
