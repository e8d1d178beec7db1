package io.sluicemq.protocol.amqp091.codec;

/**
 * The methods of AMQP 0-9-1 with RabbitMQ's extensions and Qpid's exchange.bound, as ints: the class id in the upper
 * and the method id in the lower half, which is how a method payload begins on the wire.
 */
public final class MethodId {

    public static final int CONNECTION_START = 10 << 16 | 10;
    public static final int CONNECTION_START_OK = 10 << 16 | 11;
    public static final int CONNECTION_SECURE = 10 << 16 | 20;
    public static final int CONNECTION_SECURE_OK = 10 << 16 | 21;
    public static final int CONNECTION_TUNE = 10 << 16 | 30;
    public static final int CONNECTION_TUNE_OK = 10 << 16 | 31;
    public static final int CONNECTION_OPEN = 10 << 16 | 40;
    public static final int CONNECTION_OPEN_OK = 10 << 16 | 41;
    public static final int CONNECTION_CLOSE = 10 << 16 | 50;
    public static final int CONNECTION_CLOSE_OK = 10 << 16 | 51;
    public static final int CONNECTION_BLOCKED = 10 << 16 | 60;
    public static final int CONNECTION_UNBLOCKED = 10 << 16 | 61;
    public static final int CONNECTION_UPDATE_SECRET = 10 << 16 | 70;
    public static final int CONNECTION_UPDATE_SECRET_OK = 10 << 16 | 71;
    public static final int CHANNEL_OPEN = 20 << 16 | 10;
    public static final int CHANNEL_OPEN_OK = 20 << 16 | 11;
    public static final int CHANNEL_FLOW = 20 << 16 | 20;
    public static final int CHANNEL_FLOW_OK = 20 << 16 | 21;
    public static final int CHANNEL_CLOSE = 20 << 16 | 40;
    public static final int CHANNEL_CLOSE_OK = 20 << 16 | 41;
    public static final int ACCESS_REQUEST = 30 << 16 | 10;
    public static final int ACCESS_REQUEST_OK = 30 << 16 | 11;
    public static final int EXCHANGE_DECLARE = 40 << 16 | 10;
    public static final int EXCHANGE_DECLARE_OK = 40 << 16 | 11;
    public static final int EXCHANGE_DELETE = 40 << 16 | 20;
    public static final int EXCHANGE_DELETE_OK = 40 << 16 | 21;
    public static final int EXCHANGE_BOUND = 40 << 16 | 22;
    public static final int EXCHANGE_BOUND_OK = 40 << 16 | 23;
    public static final int EXCHANGE_BIND = 40 << 16 | 30;
    public static final int EXCHANGE_BIND_OK = 40 << 16 | 31;
    public static final int EXCHANGE_UNBIND = 40 << 16 | 40;
    public static final int EXCHANGE_UNBIND_OK = 40 << 16 | 51;
    public static final int QUEUE_DECLARE = 50 << 16 | 10;
    public static final int QUEUE_DECLARE_OK = 50 << 16 | 11;
    public static final int QUEUE_BIND = 50 << 16 | 20;
    public static final int QUEUE_BIND_OK = 50 << 16 | 21;
    public static final int QUEUE_PURGE = 50 << 16 | 30;
    public static final int QUEUE_PURGE_OK = 50 << 16 | 31;
    public static final int QUEUE_DELETE = 50 << 16 | 40;
    public static final int QUEUE_DELETE_OK = 50 << 16 | 41;
    public static final int QUEUE_UNBIND = 50 << 16 | 50;
    public static final int QUEUE_UNBIND_OK = 50 << 16 | 51;
    public static final int BASIC_QOS = 60 << 16 | 10;
    public static final int BASIC_QOS_OK = 60 << 16 | 11;
    public static final int BASIC_CONSUME = 60 << 16 | 20;
    public static final int BASIC_CONSUME_OK = 60 << 16 | 21;
    public static final int BASIC_CANCEL = 60 << 16 | 30;
    public static final int BASIC_CANCEL_OK = 60 << 16 | 31;
    public static final int BASIC_PUBLISH = 60 << 16 | 40;
    public static final int BASIC_RETURN = 60 << 16 | 50;
    public static final int BASIC_DELIVER = 60 << 16 | 60;
    public static final int BASIC_GET = 60 << 16 | 70;
    public static final int BASIC_GET_OK = 60 << 16 | 71;
    public static final int BASIC_GET_EMPTY = 60 << 16 | 72;
    public static final int BASIC_ACK = 60 << 16 | 80;
    public static final int BASIC_REJECT = 60 << 16 | 90;
    public static final int BASIC_RECOVER_ASYNC = 60 << 16 | 100;
    public static final int BASIC_RECOVER = 60 << 16 | 110;
    public static final int BASIC_RECOVER_OK = 60 << 16 | 111;
    public static final int BASIC_NACK = 60 << 16 | 120;
    public static final int CONFIRM_SELECT = 85 << 16 | 10;
    public static final int CONFIRM_SELECT_OK = 85 << 16 | 11;
    public static final int TX_SELECT = 90 << 16 | 10;
    public static final int TX_SELECT_OK = 90 << 16 | 11;
    public static final int TX_COMMIT = 90 << 16 | 20;
    public static final int TX_COMMIT_OK = 90 << 16 | 21;
    public static final int TX_ROLLBACK = 90 << 16 | 30;
    public static final int TX_ROLLBACK_OK = 90 << 16 | 31;

    private MethodId() {}

    /** The class id of a method; 0 for 0, "no method". */
    public static int classOf(int method) {
        return method >>> 16;
    }

    /** The method id within its class. */
    public static int methodOf(int method) {
        return method & 0xFFFF;
    }

    /** Whether this codec knows the method, in either direction. */
    static boolean known(int method) {
        return knownName(method) != null;
    }

    /** The name as the specification writes it, {@code basic.publish}; of an unknown method the two numbers. */
    public static String name(int method) {
        String name = knownName(method);
        return name != null ? name : "method " + classOf(method) + "." + methodOf(method);
    }

    private static String knownName(int method) {
        return switch (method) {
            case CONNECTION_START -> "connection.start";
            case CONNECTION_START_OK -> "connection.start-ok";
            case CONNECTION_SECURE -> "connection.secure";
            case CONNECTION_SECURE_OK -> "connection.secure-ok";
            case CONNECTION_TUNE -> "connection.tune";
            case CONNECTION_TUNE_OK -> "connection.tune-ok";
            case CONNECTION_OPEN -> "connection.open";
            case CONNECTION_OPEN_OK -> "connection.open-ok";
            case CONNECTION_CLOSE -> "connection.close";
            case CONNECTION_CLOSE_OK -> "connection.close-ok";
            case CONNECTION_BLOCKED -> "connection.blocked";
            case CONNECTION_UNBLOCKED -> "connection.unblocked";
            case CONNECTION_UPDATE_SECRET -> "connection.update-secret";
            case CONNECTION_UPDATE_SECRET_OK -> "connection.update-secret-ok";
            case CHANNEL_OPEN -> "channel.open";
            case CHANNEL_OPEN_OK -> "channel.open-ok";
            case CHANNEL_FLOW -> "channel.flow";
            case CHANNEL_FLOW_OK -> "channel.flow-ok";
            case CHANNEL_CLOSE -> "channel.close";
            case CHANNEL_CLOSE_OK -> "channel.close-ok";
            case ACCESS_REQUEST -> "access.request";
            case ACCESS_REQUEST_OK -> "access.request-ok";
            case EXCHANGE_DECLARE -> "exchange.declare";
            case EXCHANGE_DECLARE_OK -> "exchange.declare-ok";
            case EXCHANGE_DELETE -> "exchange.delete";
            case EXCHANGE_DELETE_OK -> "exchange.delete-ok";
            case EXCHANGE_BOUND -> "exchange.bound";
            case EXCHANGE_BOUND_OK -> "exchange.bound-ok";
            case EXCHANGE_BIND -> "exchange.bind";
            case EXCHANGE_BIND_OK -> "exchange.bind-ok";
            case EXCHANGE_UNBIND -> "exchange.unbind";
            case EXCHANGE_UNBIND_OK -> "exchange.unbind-ok";
            case QUEUE_DECLARE -> "queue.declare";
            case QUEUE_DECLARE_OK -> "queue.declare-ok";
            case QUEUE_BIND -> "queue.bind";
            case QUEUE_BIND_OK -> "queue.bind-ok";
            case QUEUE_PURGE -> "queue.purge";
            case QUEUE_PURGE_OK -> "queue.purge-ok";
            case QUEUE_DELETE -> "queue.delete";
            case QUEUE_DELETE_OK -> "queue.delete-ok";
            case QUEUE_UNBIND -> "queue.unbind";
            case QUEUE_UNBIND_OK -> "queue.unbind-ok";
            case BASIC_QOS -> "basic.qos";
            case BASIC_QOS_OK -> "basic.qos-ok";
            case BASIC_CONSUME -> "basic.consume";
            case BASIC_CONSUME_OK -> "basic.consume-ok";
            case BASIC_CANCEL -> "basic.cancel";
            case BASIC_CANCEL_OK -> "basic.cancel-ok";
            case BASIC_PUBLISH -> "basic.publish";
            case BASIC_RETURN -> "basic.return";
            case BASIC_DELIVER -> "basic.deliver";
            case BASIC_GET -> "basic.get";
            case BASIC_GET_OK -> "basic.get-ok";
            case BASIC_GET_EMPTY -> "basic.get-empty";
            case BASIC_ACK -> "basic.ack";
            case BASIC_REJECT -> "basic.reject";
            case BASIC_RECOVER_ASYNC -> "basic.recover-async";
            case BASIC_RECOVER -> "basic.recover";
            case BASIC_RECOVER_OK -> "basic.recover-ok";
            case BASIC_NACK -> "basic.nack";
            case CONFIRM_SELECT -> "confirm.select";
            case CONFIRM_SELECT_OK -> "confirm.select-ok";
            case TX_SELECT -> "tx.select";
            case TX_SELECT_OK -> "tx.select-ok";
            case TX_COMMIT -> "tx.commit";
            case TX_COMMIT_OK -> "tx.commit-ok";
            case TX_ROLLBACK -> "tx.rollback";
            case TX_ROLLBACK_OK -> "tx.rollback-ok";
            default -> null;
        };
    }
}
