package io.sluicemq.protocol.amqp091.codec;

import java.util.Map;

/**
 * The methods that a client may send on a channel, without publish, ack, nack and reject, which are callbacks of
 * {@link FrameHandler}. Immutable, tables included. Components are named and ordered as in the specification, the
 * reserved ones left out; strings are as they came, so an empty queue name still means "the last one declared".
 */
public sealed interface ChannelMethod extends ClientMethod {

    /** channel.open. */
    record ChannelOpen() implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.CHANNEL_OPEN;
        }
    }

    /** channel.flow by the client: whether it wants deliveries. */
    record ChannelFlow(boolean active) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.CHANNEL_FLOW;
        }
    }

    /** channel.flow-ok: the client's answer to ours. */
    record ChannelFlowOk(boolean active) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.CHANNEL_FLOW_OK;
        }
    }

    /** channel.close by the client. */
    record ChannelClose(int replyCode, String replyText, int classId, int methodId) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.CHANNEL_CLOSE;
        }
    }

    /** channel.close-ok. */
    record ChannelCloseOk() implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.CHANNEL_CLOSE_OK;
        }
    }

    /** access.request, of 0-8 and old clients; answered with a ticket that means nothing. */
    record AccessRequest(
            String realm, boolean exclusive, boolean passive, boolean active, boolean write, boolean read)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.ACCESS_REQUEST;
        }
    }

    /** exchange.declare with the auto-delete and internal bits, which RabbitMQ gives their 0-9 meaning. */
    record ExchangeDeclare(
            String exchange, String type, boolean passive, boolean durable, boolean autoDelete, boolean internal,
            boolean noWait, Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.EXCHANGE_DECLARE;
        }
    }

    /** exchange.delete. */
    record ExchangeDelete(String exchange, boolean ifUnused, boolean noWait) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.EXCHANGE_DELETE;
        }
    }

    /** exchange.bound, Qpid's: does the binding exist; an empty name is not asked about. */
    record ExchangeBound(String exchange, String routingKey, String queue) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.EXCHANGE_BOUND;
        }
    }

    /** exchange.bind, RabbitMQ's. */
    record ExchangeBind(
            String destination, String source, String routingKey, boolean noWait, Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.EXCHANGE_BIND;
        }
    }

    /** exchange.unbind, RabbitMQ's. */
    record ExchangeUnbind(
            String destination, String source, String routingKey, boolean noWait, Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.EXCHANGE_UNBIND;
        }
    }

    /** queue.declare; an empty name asks for a generated one. */
    record QueueDeclare(
            String queue, boolean passive, boolean durable, boolean exclusive, boolean autoDelete, boolean noWait,
            Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.QUEUE_DECLARE;
        }
    }

    /** queue.bind. */
    record QueueBind(
            String queue, String exchange, String routingKey, boolean noWait, Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.QUEUE_BIND;
        }
    }

    /** queue.purge. */
    record QueuePurge(String queue, boolean noWait) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.QUEUE_PURGE;
        }
    }

    /** queue.delete. */
    record QueueDelete(String queue, boolean ifUnused, boolean ifEmpty, boolean noWait) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.QUEUE_DELETE;
        }
    }

    /** queue.unbind. */
    record QueueUnbind(
            String queue, String exchange, String routingKey, Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.QUEUE_UNBIND;
        }
    }

    /** basic.qos: size in bytes and count in messages, 0 for no limit. */
    record BasicQos(long prefetchSize, int prefetchCount, boolean global) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_QOS;
        }
    }

    /** basic.consume; an empty tag asks for a generated one. */
    record BasicConsume(
            String queue, String consumerTag, boolean noLocal, boolean noAck, boolean exclusive, boolean noWait,
            Map<String, Object> arguments)
            implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_CONSUME;
        }
    }

    /** basic.cancel. */
    record BasicCancel(String consumerTag, boolean noWait) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_CANCEL;
        }
    }

    /** basic.cancel-ok: some clients answer a cancel by the broker. */
    record BasicCancelOk(String consumerTag) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_CANCEL_OK;
        }
    }

    /** basic.get. */
    record BasicGet(String queue, boolean noAck) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_GET;
        }
    }

    /** basic.recover-async (60.100, once basic.recover): has no answer. */
    record BasicRecoverAsync(boolean requeue) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_RECOVER_ASYNC;
        }
    }

    /** basic.recover (60.110). */
    record BasicRecover(boolean requeue) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.BASIC_RECOVER;
        }
    }

    /** confirm.select, RabbitMQ's. */
    record ConfirmSelect(boolean noWait) implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.CONFIRM_SELECT;
        }
    }

    /** tx.select. */
    record TxSelect() implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.TX_SELECT;
        }
    }

    /** tx.commit. */
    record TxCommit() implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.TX_COMMIT;
        }
    }

    /** tx.rollback. */
    record TxRollback() implements ChannelMethod {
        @Override
        public int id() {
            return MethodId.TX_ROLLBACK;
        }
    }
}
