package io.sluicemq.protocol.amqp091.codec;

import java.util.Map;

/**
 * The methods of class connection that a client may send; they come on channel 0. Immutable, tables included. Names and
 * order of the components are the specification's (§1.4 of the reference); unsigned fields are widened.
 */
public sealed interface ConnectionMethod extends ClientMethod {

    /** connection.start-ok: the chosen mechanism and its first response (a secret: bytes are never printed). */
    record StartOk(
            Map<String, Object> clientProperties, String mechanism, byte[] response, String locale)
            implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_START_OK;
        }
    }

    /** connection.secure-ok: the answer to a challenge (a secret). */
    record SecureOk(byte[] response) implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_SECURE_OK;
        }
    }

    /** connection.tune-ok: what the client accepts; 0 stands for no limit, or no heartbeats (seconds). */
    record TuneOk(int channelMax, long frameMax, int heartbeat) implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_TUNE_OK;
        }
    }

    /** connection.open; its two reserved fields are dropped. */
    record Open(String virtualHost) implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_OPEN;
        }
    }

    /** connection.close by the client. */
    record Close(int replyCode, String replyText, int classId, int methodId) implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_CLOSE;
        }
    }

    /** connection.close-ok: the client has read our close. */
    record CloseOk() implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_CLOSE_OK;
        }
    }

    /** connection.update-secret, RabbitMQ's: a new secret for a connection that lives on. */
    record UpdateSecret(byte[] newSecret, String reason) implements ConnectionMethod {
        @Override
        public int id() {
            return MethodId.CONNECTION_UPDATE_SECRET;
        }
    }
}
