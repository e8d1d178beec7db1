package io.sluicemq.broker.journal;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * A change of the topology that outlasts a restart; a checkpoint holds what is there as the changes that make it.
 *
 * <pre>
 *  payload  = kind(u8) ...
 *
 *  1 QueueDeclared     id(i64) flags(u8; 1 durable, 2 exclusive, 4 autoDelete, 8 declaredBy) host(text) name(text)
 *                      [declaredBy(text)] arguments
 *  2 QueueDeleted      id(i64)
 *  3 ExchangeDeclared  flags(u8; 1 durable, 2 autoDelete, 4 internal) host(text) name(text) type(text) arguments
 *  4 ExchangeDeleted   host(text) name(text)
 *  5 Bound             flags(u8; 1 toExchange) host(text) source(text) destination(text) routingKey(text) arguments
 *  6 Unbound           the same
 *
 *  text       bytes(varint) UTF-8
 *  arguments  the map of {@link Values}
 * </pre>
 *
 * <p>Immutable, as long as nobody changes the arguments, which keep their order and their types.
 */
public sealed interface TopologyRecord {

    /** The flag of a declaration of a queue that says by whom. */
    int DECLARED_BY = 8;

    /** @param declaredBy the user who has made it; null in logs of before that was kept */
    record QueueDeclared(
            String host,
            long id,
            String name,
            boolean durable,
            boolean exclusive,
            boolean autoDelete,
            String declaredBy,
            Map<String, Object> arguments)
            implements TopologyRecord {}

    record QueueDeleted(long id) implements TopologyRecord {}

    /** @param type the word that clients use, such as {@code topic} */
    record ExchangeDeclared(
            String host,
            String name,
            String type,
            boolean durable,
            boolean autoDelete,
            boolean internal,
            Map<String, Object> arguments)
            implements TopologyRecord {}

    record ExchangeDeleted(String host, String name) implements TopologyRecord {}

    /** @param toExchange whether {@code destination} names an exchange rather than a queue */
    record Bound(
            String host,
            String source,
            String destination,
            boolean toExchange,
            String routingKey,
            Map<String, Object> arguments)
            implements TopologyRecord {}

    /** The opposite of {@link Bound}, with the same parameters. */
    record Unbound(
            String host,
            String source,
            String destination,
            boolean toExchange,
            String routingKey,
            Map<String, Object> arguments)
            implements TopologyRecord {}

    /**
     * The payload.
     *
     * @throws IllegalArgumentException if an argument is of a type that no record can hold, or they nest deeper than 64
     */
    default byte[] encode() {
        Values.Output out = new Values.Output();
        switch (this) {
            case QueueDeclared queue -> {
                out.octet(1).fixed(queue.id, Long.BYTES);
                out.octet(flags(queue.durable, queue.exclusive, queue.autoDelete)
                        | (queue.declaredBy == null ? 0 : DECLARED_BY));
                out.text(queue.host).text(queue.name);
                if (queue.declaredBy != null) {
                    out.text(queue.declaredBy);
                }
                Values.write(out, queue.arguments);
            }
            case QueueDeleted queue -> out.octet(2).fixed(queue.id, Long.BYTES);
            case ExchangeDeclared exchange -> {
                out.octet(3).octet(flags(exchange.durable, exchange.autoDelete, exchange.internal));
                Values.write(out.text(exchange.host).text(exchange.name).text(exchange.type), exchange.arguments);
            }
            case ExchangeDeleted exchange -> out.octet(4).text(exchange.host).text(exchange.name);
            case Bound(String host, String source, String destination, boolean toExchange, String key, Map<String,
                    Object> arguments) ->
                writeBinding(out.octet(5), host, source, destination, toExchange, key, arguments);
            case Unbound(String host, String source, String destination, boolean toExchange, String key, Map<String,
                    Object> arguments) ->
                writeBinding(out.octet(6), host, source, destination, toExchange, key, arguments);
        }
        return out.toByteArray();
    }

    private static void writeBinding(
            Values.Output out,
            String host,
            String source,
            String destination,
            boolean toExchange,
            String key,
            Map<String, Object> arguments) {
        out.octet(toExchange ? 1 : 0).text(host).text(source).text(destination).text(key);
        Values.write(out, arguments);
    }

    private static int flags(boolean first, boolean second, boolean third) {
        return (first ? 1 : 0) | (second ? 2 : 0) | (third ? 4 : 0);
    }

    /**
     * Reads the payload from the position of {@code in} to its limit, where the position is then.
     *
     * @throws BadRecord if it is malformed
     */
    static TopologyRecord decode(ByteBuffer in) throws BadRecord {
        int kind = Numbers.readByte(in);
        TopologyRecord record = switch (kind) {
            case 1 -> readQueue(in);
            case 2 -> new QueueDeleted(Numbers.readLong(in));
            case 3 -> readExchange(in);
            case 4 -> {
                String host = Numbers.readText(in);
                yield new ExchangeDeleted(host, Numbers.readText(in));
            }
            case 5, 6 -> readBinding(in, kind == 5);
            default -> throw new BadRecord("a change of the topology of the kind " + (kind & 0xFF));
        };
        if (in.hasRemaining()) {
            throw new BadRecord(in.remaining() + " bytes behind a change of the topology");
        }
        return record;
    }

    private static QueueDeclared readQueue(ByteBuffer in) throws BadRecord {
        long id = Numbers.readLong(in);
        int flags = readFlags(in, 7 | DECLARED_BY);
        String host = Numbers.readText(in);
        String name = Numbers.readText(in);
        String declaredBy = (flags & DECLARED_BY) == 0 ? null : Numbers.readText(in);
        return new QueueDeclared(
                host, id, name, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, declaredBy, Values.readMap(in));
    }

    private static ExchangeDeclared readExchange(ByteBuffer in) throws BadRecord {
        int flags = readFlags(in, 7);
        String host = Numbers.readText(in);
        String name = Numbers.readText(in);
        String type = Numbers.readText(in);
        return new ExchangeDeclared(
                host, name, type, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, Values.readMap(in));
    }

    private static TopologyRecord readBinding(ByteBuffer in, boolean bound) throws BadRecord {
        boolean toExchange = readFlags(in, 1) != 0;
        String host = Numbers.readText(in);
        String source = Numbers.readText(in);
        String destination = Numbers.readText(in);
        String key = Numbers.readText(in);
        Map<String, Object> arguments = Values.readMap(in);
        return bound
                ? new Bound(host, source, destination, toExchange, key, arguments)
                : new Unbound(host, source, destination, toExchange, key, arguments);
    }

    private static int readFlags(ByteBuffer in, int known) throws BadRecord {
        int flags = Numbers.readByte(in);
        if ((flags & ~known) != 0) {
            throw new BadRecord("a change of the topology with the flags " + (flags & 0xFF));
        }
        return flags;
    }
}
