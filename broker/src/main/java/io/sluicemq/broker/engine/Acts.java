package io.sluicemq.broker.engine;

import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.MoveTarget;
import io.sluicemq.api.operate.Moved;
import io.sluicemq.api.operate.Operations.GetMode;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.base.Loop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * What operators do with a broker: each thing by a client of its own, that comes in as the user who wants it, does it, and goes. Called from
 * any thread; the rest runs on a loop. Holds nothing that changes.
 *
 * <p>Invariant: a client is closed once, when its future has an end, be it that nobody waits for it any more.
 */
final class Acts {

    /** What operators' clients are called where others have a protocol's name. */
    private static final String PROTOCOL = "HTTP";

    /** So long a publish waits for room. */
    private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final BrokerEngine engine;
    private final LoopContext[] contexts;
    private final Publishable publishable;

    Acts(BrokerEngine engine, LoopContext[] contexts, Publishable publishable) {
        this.engine = engine;
        this.contexts = contexts;
        this.publishable = publishable;
    }

    /** One act: it is over when its future is complete. */
    static final class Act<T> implements ClientEvents {

        private final CompletableFuture<T> future;
        /** Why publishers must wait; null if they need not. */
        private String shortage;
        private ConnectedClient client;

        Act(CompletableFuture<T> future) {
            this.future = future;
        }

        ConnectedClient client() {
            return client;
        }

        Loop loop() {
            return client.loop();
        }

        /** Whether nobody waits for it any more, or it has been answered. */
        boolean isOver() {
            return future.isDone();
        }

        void done(T result) {
            future.complete(result);
        }

        void failed(BrokerError error) {
            future.completeExceptionally(new Refused(error));
        }

        /** Runs a part of it; a defect ends it. */
        void guarded(Runnable part) {
            try {
                part.run();
            } catch (RuntimeException | Error e) {
                future.completeExceptionally(e);
            }
        }

        /** A reply that leads on to more of it. */
        <R> Reply<R> then(java.util.function.Consumer<R> next) {
            return new Reply<>() {
                @Override
                public void done(R result) {
                    guarded(() -> next.accept(result));
                }

                @Override
                public void failed(BrokerError error) {
                    Act.this.failed(error);
                }
            };
        }

        /** Fails it if publishers must wait; returns whether it has. */
        boolean isShort() {
            if (shortage != null) {
                failed(new BrokerError.Unavailable(shortage));
            }
            return shortage != null;
        }

        @Override
        public void closeRequested(String reason) {
            failed(new BrokerError.Unavailable(reason));
        }

        @Override
        public void resourcesLow(String reason) {
            shortage = reason;
        }

        @Override
        public void resourcesRecovered() {
            shortage = null;
        }
    }

    /** Does one thing that a client can ask for, and is answered once. */
    <T> CompletableFuture<T> as(Actor actor, String virtualHost, BiConsumer<Client, Reply<T>> what) {
        return begin(actor, virtualHost, act -> what.accept(act.client(), act.then(act::done)));
    }

    private <T> CompletableFuture<T> begin(
            Actor actor, String virtualHost, java.util.function.Consumer<Act<T>> what) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Act<T> act = new Act<>(future);
        LoopContext context = contexts[Math.floorMod(actor.peer().hashCode(), contexts.length)];
        ClientSpec spec = new ClientSpec(
                virtualHost, actor.user(), PROTOCOL + " " + actor.peer(), PROTOCOL, "", act);
        context.loop.execute(() -> act.guarded(() -> engine.connect(spec, context.loop, new Reply<>() {
            @Override
            public void done(Client client) {
                act.client = (ConnectedClient) client;
                future.whenComplete((result, failure) -> context.loop.execute(() -> end(act.client)));
                if (!act.isOver()) {
                    act.guarded(() -> what.accept(act));
                }
            }

            @Override
            public void failed(BrokerError error) {
                act.failed(error);
            }
        })));
        return future;
    }

    /** What waits still is given up, as whoever wanted it has been told: nothing is lost that anybody counts on. */
    private static void end(ConnectedClient client) {
        client.entrance().giveUp(0);
        client.close(nothingMore());
    }

    private static Reply<Void> nothingMore() {
        return new Reply<>() {
            @Override
            public void done(Void result) {}

            @Override
            public void failed(BrokerError error) {}
        };
    }

    CompletableFuture<Void> pause(Actor actor, String virtualHost, String queue, boolean paused) {
        return begin(actor, virtualHost,
                act -> act.client().pauseQueue(queue, paused, act.then(act::done)));
    }

    CompletableFuture<Integer> publish(Actor actor, String virtualHost, Publication publication) {
        return begin(actor, virtualHost, act -> {
            if (act.isShort()) {
                return;
            }
            Message message = publishable.message(publication);
            long most = act.client().maxMessageBytes();
            if (message.body().length > most) {
                act.client().tooLarge();
                act.failed(new BrokerError.LimitReached("bytes of a message", actor.user().name(), virtualHost, most));
                return;
            }
            int[] reached = new int[1];
            Loop.Timer patience = act.loop().schedule(ROOM_NANOS, () -> act.client().entrance().giveUp(ROOM_NANOS));
            Completion stored = new Completion(act.loop()) {
                @Override
                protected void complete(BrokerError refusal) {
                    patience.cancel();
                    if (refusal == null) {
                        act.done(reached[0]);
                    } else {
                        act.failed(refusal);
                    }
                }
            };
            reached[0] = act.client().publish(message, stored, null);
            if (reached[0] < 0) {
                act.failed(reached[0] == Client.NO_ACCESS
                        ? act.client().publishRefusal(publication.exchange(), publication.routingKey())
                        : unpublishable(publication.exchange(), virtualHost, reached[0]));
            }
            stored.handedOut();
        });
    }

    private static BrokerError unpublishable(String exchange, String virtualHost, int reached) {
        return reached == Client.NO_EXCHANGE
                ? new BrokerError.NotFound(BrokerError.Kind.EXCHANGE, exchange, virtualHost)
                : new BrokerError.NotAllowed(
                        BrokerError.Kind.EXCHANGE, exchange, virtualHost, "it is internal: nobody may publish to it");
    }

    CompletableFuture<List<MessageView>> get(
            Actor actor, String virtualHost, String queue, int most, GetMode mode, int mostBodyBytes) {
        return begin(actor, virtualHost, act -> new Getting(act, queue, most, mode, mostBodyBytes).next());
    }

    CompletableFuture<List<MessageView>> browse(
            Actor actor, String virtualHost, String queue, int most, int mostBodyBytes) {
        return begin(actor, virtualHost, act -> new Browsing(act, queue, most, mostBodyBytes).begin());
    }

    CompletableFuture<Moved> move(Actor actor, String virtualHost, String queue, long most, MoveTarget to) {
        return begin(actor, virtualHost, act -> new MovingMessages(act, queue, most, to).begin());
    }
}
