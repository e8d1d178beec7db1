package io.sluicemq.server;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.base.Loop;
import io.sluicemq.server.config.UserConfig;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Knows the configured users by name and password (SASL PLAIN, RFC 4616). Immutable: any loop may call it. */
final class Authentication implements Authenticator {

    private static final String PLAIN = "PLAIN";

    private final Map<String, UserConfig> users = new LinkedHashMap<>();

    Authentication(List<UserConfig> users) {
        users.forEach(user -> this.users.put(user.name(), user));
    }

    @Override
    public List<String> mechanisms(Peer peer) {
        return List.of(PLAIN);
    }

    @Override
    public void authenticate(String mechanism, byte[] response, Peer peer, Loop loop, Reply<Principal> reply) {
        String[] parts = new String(response, StandardCharsets.UTF_8).split("\0", -1);
        if (!mechanism.equals(PLAIN) || parts.length != 3) {
            refuse("", "a response of " + mechanism + " that is not one of PLAIN", reply);
            return;
        }
        judge(parts[1], parts[2], peer, reply);
    }

    @Override
    public void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply) {
        judge(user.name(), new String(secret, StandardCharsets.UTF_8), peer, reply);
    }

    private void judge(String name, String password, Peer peer, Reply<Principal> reply) {
        UserConfig user = users.get(name);
        if (user == null || !user.password().equals(password)) {
            refuse(name, "name and password do not match", reply);
        } else if (user.loopbackOnly() && !peer.loopback()) {
            refuse(name, "this user may log in from the broker's machine only", reply);
        } else {
            reply.done(new Principal(name, false, user.virtualHosts()));
        }
    }

    private static void refuse(String name, String reason, Reply<Principal> reply) {
        reply.failed(new BrokerError.AccessRefused(name, BrokerError.Kind.VIRTUAL_HOST, "", "", reason));
    }
}
