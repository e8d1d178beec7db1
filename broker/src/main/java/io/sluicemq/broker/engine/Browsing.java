package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Reply;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.queue.QueueConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A look at the first messages of a queue, by a consumer that leaves them where they are. Owned by its client's loop. */
@LoopOwned
final class Browsing implements ConsumerSink {

    private final Acts.Act<List<MessageView>> act;
    private final String queue;
    private final int most;
    private final int mostBodyBytes;
    private final List<MessageView> views = new ArrayList<>();
    private Consumer consumer;
    private long bytes;

    Browsing(Acts.Act<List<MessageView>> act, String queue, int most, int mostBodyBytes) {
        this.act = act;
        this.queue = queue;
        this.most = most;
        this.mostBodyBytes = mostBodyBytes;
    }

    void begin() {
        ConsumerSpec spec = new ConsumerSpec(
                queue, "operator", true, false, false, 0, ConsumerSpec.Credit.LIMIT, 0, true, null,
                Map.of(QueueConsumer.OPERATES, true));
        act.client().subscribe(spec, this, act.then(begun -> {
            consumer = begun;
            consumer.limit(most);
            consumer.drain(act.then(all -> end()));
        }));
    }

    private void end() {
        consumer.cancel(new Reply<>() {
            @Override
            public void done(Void result) {
                act.done(List.copyOf(views));
            }

            @Override
            public void failed(BrokerError error) {
                act.failed(error);
            }
        });
    }

    @Override
    public void deliver(Delivery delivery) {
        if (act.isOver()) {
            return;
        }
        act.guarded(() -> {
            if (bytes < MessageViews.MOST_BYTES) {
                views.add(MessageViews.of(delivery, mostBodyBytes));
                bytes += views.getLast().body().length;
            }
        });
        if (!act.isOver()) {
            consumer.written(delivery.windowBytes());
        }
    }

    @Override
    public void cancelled(String reason) {
        act.failed(new BrokerError.Unavailable(reason));
    }

    @Override
    public void tooSlow(Cut cut) {
        // One that only looks is never judged by how fast it is.
    }

    @Override
    public long sentBytes() {
        return bytes;
    }

    @Override
    public void creditWanted() {
        throw new IllegalStateException("it has a limit, and no shared credit");
    }

    @Override
    public void creditReturned(int messages) {
        throw new IllegalStateException("it has a limit, and no shared credit");
    }
}
