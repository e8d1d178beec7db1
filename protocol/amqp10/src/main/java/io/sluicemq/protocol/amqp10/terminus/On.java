package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Reply;
import java.util.function.Consumer;

/** A broker's reply as two continuations. */
record On<T>(Consumer<T> then, Consumer<BrokerError> otherwise) implements Reply<T> {

    /** One whose failure is the refusal of {@code answer}. */
    static <T> On<T> success(Answer<?> answer, Consumer<T> then) {
        return new On<>(then, error -> answer.refused(TerminusError.of(error)));
    }

    /** One that nobody waits for: what is to go is gone, or goes with the client. */
    static <T> On<T> nobody() {
        return new On<>(result -> {}, error -> {});
    }

    @Override
    public void done(T result) {
        then.accept(result);
    }

    @Override
    public void failed(BrokerError error) {
        otherwise.accept(error);
    }
}
