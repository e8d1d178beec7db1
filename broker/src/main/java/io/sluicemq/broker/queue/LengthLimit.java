package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Message;
import java.util.List;

/**
 * How many ready messages a queue may hold, and how many bytes of their bodies. Room can be promised to transactions that are
 * about to commit; what is promised counts as taken. Owned by the queue's loop.
 */
final class LengthLimit {

    private final String queue;
    private final String virtualHost;
    private final long maxMessages;
    private final long maxBodyBytes;
    private final boolean refuses;
    private long promisedMessages;
    private long promisedBodyBytes;

    LengthLimit(String queue, String virtualHost, QueueOptions options) {
        this.queue = queue;
        this.virtualHost = virtualHost;
        this.maxMessages = options.maxMessages();
        this.maxBodyBytes = options.maxBodyBytes();
        this.refuses = options.rejectsOverflow();
    }

    /** Whether what is too much is refused, rather than making room by dropping. */
    boolean refuses() {
        return refuses;
    }

    /** Whether {@code messages} and {@code bodyBytes}, promises added, are too many. */
    boolean isExceededBy(long messages, long bodyBytes) {
        return maxMessages != QueueOptions.NONE && messages + promisedMessages > maxMessages
                || maxBodyBytes != QueueOptions.NONE && bodyBytes + promisedBodyBytes > maxBodyBytes;
    }

    void promise(List<Message> messages) {
        promisedMessages += messages.size();
        promisedBodyBytes += bodyBytes(messages);
    }

    void withdraw(List<Message> messages) {
        promisedMessages -= messages.size();
        promisedBodyBytes -= bodyBytes(messages);
    }

    /** Why a message is refused. */
    BrokerError error() {
        boolean byCount = maxMessages != QueueOptions.NONE;
        return new BrokerError.LimitReached(
                byCount ? "messages in queue" : "bytes in queue", queue, virtualHost,
                byCount ? maxMessages : maxBodyBytes);
    }

    static long bodyBytes(List<Message> messages) {
        long bytes = 0;
        for (Message message : messages) {
            bytes += message.body().length;
        }
        return bytes;
    }
}
