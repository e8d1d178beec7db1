package io.sluicemq.security;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.base.Published;
import java.util.function.Function;

/**
 * PLAIN (RFC 4616) and AMQPLAIN: one response that holds a name and a password. An empty one, which neither allows, counts as
 * none: AMQP 0-9-1 has no other way to say so.
 */
final class PasswordMechanism implements Mechanism {

    private final Function<byte[], Credentials> reader;
    private final Published<Users> users;
    private final Peer peer;
    private boolean asked;

    PasswordMechanism(Function<byte[], Credentials> reader, Published<Users> users, Peer peer) {
        this.reader = reader;
        this.users = users;
        this.peer = peer;
    }

    @Override
    public Judgement next(byte[] response) {
        if (!asked && (response == null || response.length == 0)) {
            asked = true;
            return Mechanism.yourTurn();
        }
        return users.get().judge(reader.apply(response), peer);
    }
}
