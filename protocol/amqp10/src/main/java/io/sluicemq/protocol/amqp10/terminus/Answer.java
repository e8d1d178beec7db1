package io.sluicemq.protocol.amqp10.terminus;

import java.util.function.Consumer;

/**
 * The answer to a question about a terminus. Exactly one of the two methods is called, exactly once, on the client's loop; perhaps
 * before the question's method returns.
 */
public interface Answer<T> {

    void done(T result);

    void refused(TerminusError error);

    /** One that goes on with what is done, and whose refusal is that of {@code answer}. */
    static <T> Answer<T> passing(Answer<?> answer, Consumer<T> then) {
        return new Answer<>() {
            @Override
            public void done(T result) {
                then.accept(result);
            }

            @Override
            public void refused(TerminusError error) {
                answer.refused(error);
            }
        };
    }
}
