package io.sluicemq.security;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.Published;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * SCRAM (RFC 5802), without channel binding: the client proves that it knows the password without saying it, and learns that the
 * server knows it too. Its keys have been computed before, so that a login costs a few hashes here.
 *
 * <p>A name that is no user's gets a salt like any other, and the exchange fails only where a wrong password's does.
 */
final class ScramMechanism implements Mechanism {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 24;

    private final ScramHash hash;
    private final Published<Users> users;
    private final Peer peer;
    private boolean asked;

    private ScramMessages.First first;
    /** Who the client says it is; null if there is none such who could log in by SCRAM. */
    private User user;

    private ScramKeys keys;
    private String nonce;
    private String serverFirst;

    ScramMechanism(ScramHash hash, Published<Users> users, Peer peer) {
        this.hash = hash;
        this.users = users;
        this.peer = peer;
    }

    @Override
    public Judgement next(byte[] response) {
        if (first != null) {
            return finish(ScramMessages.Final.read(response));
        }
        if (!asked && (response == null || response.length == 0)) {
            asked = true;
            return Mechanism.yourTurn();
        }
        return begin(ScramMessages.First.read(response));
    }

    private Judgement begin(ScramMessages.First message) {
        first = message;
        String name = Preparation.prepared(message.name());
        if (name == null) {
            throw new Refusal(message.name(), "the name holds characters that no name may have");
        }
        Users all = users.get();
        User named = all.findPrepared(name);
        ScramKeys known = named == null ? null : named.scramKeys(hash);
        user = known == null ? null : named;
        keys = known == null ? all.decoys().keys(hash, name) : known;
        byte[] random = new byte[NONCE_BYTES];
        RANDOM.nextBytes(random);
        nonce = message.nonce() + ScramMessages.base64(random);
        serverFirst = "r=" + nonce + ",s=" + ScramMessages.base64(keys.salt()) + ",i=" + keys.iterations();
        return Judgement.now(new SaslStep.Challenge(ScramMessages.bytes(serverFirst)));
    }

    private Judgement finish(ScramMessages.Final message) {
        if (!MessageDigest.isEqual(message.channelBinding(), ScramMessages.bytes(first.gs2Header()))) {
            throw new Refusal(first.name(), "the channel binding is not what it was");
        }
        if (!MessageDigest.isEqual(ScramMessages.bytes(message.nonce()), ScramMessages.bytes(nonce))) {
            throw new Refusal(first.name(), "the nonce is not the one it was given");
        }
        byte[] all = ScramMessages.bytes(first.bare() + "," + serverFirst + "," + message.withoutProof());
        boolean proved = proves(message.proof(), hash.hmac(keys.storedKey(), all));
        if (user == null) {
            throw new Refusal(first.name(), "there is no such user, or its password can't be prepared (RFC 4013)");
        }
        if (!proved) {
            throw new Refusal(first.name(), "the password is wrong");
        }
        String signature = "v=" + ScramMessages.base64(hash.hmac(keys.serverKey(), all));
        return Judgement.now(new SaslStep.Success(user.admit(peer), ScramMessages.bytes(signature)));
    }

    /** RFC 5802 §3: whether what the proof makes of the signature is the client's key. */
    private boolean proves(byte[] proof, byte[] signature) {
        if (proof.length != hash.bytes()) {
            return false;
        }
        byte[] clientKey = new byte[proof.length];
        for (int i = 0; i < proof.length; i++) {
            clientKey[i] = (byte) (proof[i] ^ signature[i]);
        }
        return MessageDigest.isEqual(hash.digest(clientKey), keys.storedKey());
    }
}
