package io.sluicemq.server;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.base.Count;
import io.sluicemq.base.Loop;
import java.util.List;

/** Counts how many logins another authenticator refuses. Called on any loop, like that. */
final class CountedLogins implements Authenticator {

    private final Authenticator judge;
    private final Count refused = new Count();

    CountedLogins(Authenticator judge) {
        this.judge = judge;
    }

    /** How many were refused so far; from any thread. */
    long refused() {
        return refused.sum();
    }

    @Override
    public List<String> mechanisms(Peer peer) {
        return judge.mechanisms(peer);
    }

    @Override
    public SaslExchange begin(String mechanism, Peer peer, Loop loop) {
        SaslExchange exchange = judge.begin(mechanism, peer, loop);
        return (response, reply) -> exchange.respond(response, counted(reply));
    }

    @Override
    public void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply) {
        judge.renew(user, secret, peer, loop, counted(reply));
    }

    private <T> Reply<T> counted(Reply<T> reply) {
        return new Reply<>() {
            @Override
            public void done(T result) {
                reply.done(result);
            }

            @Override
            public void failed(BrokerError error) {
                refused.add(1);
                reply.failed(error);
            }
        };
    }
}
