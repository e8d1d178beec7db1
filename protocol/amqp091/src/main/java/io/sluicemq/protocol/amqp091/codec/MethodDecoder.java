package io.sluicemq.protocol.amqp091.codec;

import java.util.Map;

/**
 * Reads the arguments of the control methods into records. Stateless. The order of the reads is the order on the wire;
 * consecutive bits share an octet, the first in its lowest bit (spec §4.2.5.2); bits that no field has are ignored.
 */
final class MethodDecoder {

    private MethodDecoder() {}

    /** Reads the arguments of a method that may come on channel 0; null if {@code method} is none. */
    static ConnectionMethod connectionMethod(int method, WireReader in) {
        return switch (method) {
            case MethodId.CONNECTION_START_OK ->
                new ConnectionMethod.StartOk(in.table(), in.shortString(), in.longString(), in.shortString());
            case MethodId.CONNECTION_SECURE_OK -> new ConnectionMethod.SecureOk(in.longString());
            case MethodId.CONNECTION_TUNE_OK ->
                new ConnectionMethod.TuneOk(in.shortUint(), in.longUint(), in.shortUint());
            case MethodId.CONNECTION_OPEN -> {
                String virtualHost = in.shortString();
                in.shortString();
                in.octet();
                yield new ConnectionMethod.Open(virtualHost);
            }
            case MethodId.CONNECTION_CLOSE ->
                new ConnectionMethod.Close(in.shortUint(), in.shortString(), in.shortUint(), in.shortUint());
            case MethodId.CONNECTION_CLOSE_OK -> new ConnectionMethod.CloseOk();
            case MethodId.CONNECTION_UPDATE_SECRET ->
                new ConnectionMethod.UpdateSecret(in.longString(), in.shortString());
            default -> null;
        };
    }

    /** Reads the arguments of a method that may come on a channel; null if {@code method} is none. */
    static ChannelMethod channelMethod(int method, WireReader in) {
        return switch (method) {
            case MethodId.CHANNEL_OPEN -> {
                in.shortString();
                yield new ChannelMethod.ChannelOpen();
            }
            case MethodId.CHANNEL_FLOW -> new ChannelMethod.ChannelFlow(bit(in.octet(), 0));
            case MethodId.CHANNEL_FLOW_OK -> new ChannelMethod.ChannelFlowOk(bit(in.octet(), 0));
            case MethodId.CHANNEL_CLOSE ->
                new ChannelMethod.ChannelClose(in.shortUint(), in.shortString(), in.shortUint(), in.shortUint());
            case MethodId.CHANNEL_CLOSE_OK -> new ChannelMethod.ChannelCloseOk();
            case MethodId.ACCESS_REQUEST -> {
                String realm = in.shortString();
                int bits = in.octet();
                yield new ChannelMethod.AccessRequest(
                        realm, bit(bits, 0), bit(bits, 1), bit(bits, 2), bit(bits, 3), bit(bits, 4));
            }
            case MethodId.EXCHANGE_DECLARE -> {
                in.ticket();
                String exchange = in.shortString();
                String type = in.shortString();
                int bits = in.octet();
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.ExchangeDeclare(
                        exchange, type, bit(bits, 0), bit(bits, 1), bit(bits, 2), bit(bits, 3), bit(bits, 4),
                        arguments);
            }
            case MethodId.EXCHANGE_DELETE -> {
                in.ticket();
                String exchange = in.shortString();
                int bits = in.octet();
                yield new ChannelMethod.ExchangeDelete(exchange, bit(bits, 0), bit(bits, 1));
            }
            case MethodId.EXCHANGE_BOUND ->
                new ChannelMethod.ExchangeBound(in.shortString(), in.shortString(), in.shortString());
            case MethodId.EXCHANGE_BIND -> {
                in.ticket();
                String destination = in.shortString();
                String source = in.shortString();
                String routingKey = in.shortString();
                boolean noWait = bit(in.octet(), 0);
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.ExchangeBind(destination, source, routingKey, noWait, arguments);
            }
            case MethodId.EXCHANGE_UNBIND -> {
                in.ticket();
                String destination = in.shortString();
                String source = in.shortString();
                String routingKey = in.shortString();
                boolean noWait = bit(in.octet(), 0);
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.ExchangeUnbind(destination, source, routingKey, noWait, arguments);
            }
            case MethodId.QUEUE_DECLARE -> {
                in.ticket();
                String queue = in.shortString();
                int bits = in.octet();
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.QueueDeclare(
                        queue, bit(bits, 0), bit(bits, 1), bit(bits, 2), bit(bits, 3), bit(bits, 4), arguments);
            }
            case MethodId.QUEUE_BIND -> {
                in.ticket();
                String queue = in.shortString();
                String exchange = in.shortString();
                String routingKey = in.shortString();
                boolean noWait = bit(in.octet(), 0);
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.QueueBind(queue, exchange, routingKey, noWait, arguments);
            }
            case MethodId.QUEUE_PURGE -> {
                in.ticket();
                String queue = in.shortString();
                boolean noWait = bit(in.octet(), 0);
                yield new ChannelMethod.QueuePurge(queue, noWait);
            }
            case MethodId.QUEUE_DELETE -> {
                in.ticket();
                String queue = in.shortString();
                int bits = in.octet();
                yield new ChannelMethod.QueueDelete(queue, bit(bits, 0), bit(bits, 1), bit(bits, 2));
            }
            case MethodId.QUEUE_UNBIND -> {
                in.ticket();
                String queue = in.shortString();
                String exchange = in.shortString();
                String routingKey = in.shortString();
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.QueueUnbind(queue, exchange, routingKey, arguments);
            }
            case MethodId.BASIC_QOS -> new ChannelMethod.BasicQos(in.longUint(), in.shortUint(), bit(in.octet(), 0));
            case MethodId.BASIC_CONSUME -> {
                in.ticket();
                String queue = in.shortString();
                String consumerTag = in.shortString();
                int bits = in.octet();
                Map<String, Object> arguments = in.table();
                yield new ChannelMethod.BasicConsume(
                        queue, consumerTag, bit(bits, 0), bit(bits, 1), bit(bits, 2), bit(bits, 3), arguments);
            }
            case MethodId.BASIC_CANCEL -> new ChannelMethod.BasicCancel(in.shortString(), bit(in.octet(), 0));
            case MethodId.BASIC_CANCEL_OK -> new ChannelMethod.BasicCancelOk(in.shortString());
            case MethodId.BASIC_GET -> {
                in.ticket();
                String queue = in.shortString();
                boolean noAck = bit(in.octet(), 0);
                yield new ChannelMethod.BasicGet(queue, noAck);
            }
            case MethodId.BASIC_RECOVER_ASYNC -> new ChannelMethod.BasicRecoverAsync(bit(in.octet(), 0));
            case MethodId.BASIC_RECOVER -> new ChannelMethod.BasicRecover(bit(in.octet(), 0));
            case MethodId.CONFIRM_SELECT -> new ChannelMethod.ConfirmSelect(bit(in.octet(), 0));
            case MethodId.TX_SELECT -> new ChannelMethod.TxSelect();
            case MethodId.TX_COMMIT -> new ChannelMethod.TxCommit();
            case MethodId.TX_ROLLBACK -> new ChannelMethod.TxRollback();
            default -> null;
        };
    }

    private static boolean bit(int bits, int index) {
        return (bits >> index & 1) != 0;
    }
}
