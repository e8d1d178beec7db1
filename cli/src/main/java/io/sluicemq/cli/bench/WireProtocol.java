package io.sluicemq.cli.bench;

/** What a load is spoken in, and by which client library. */
public enum WireProtocol {
    /** AMQP 0-9-1 by the RabbitMQ Java client. */
    AMQP091 {
        @Override
        public LoadClient open(BenchPlan plan, FirstFailure failure) throws BenchFailure {
            return new AmqpClient(plan, failure);
        }
    },
    /** AMQP 1.0 by Qpid JMS. */
    AMQP10 {
        @Override
        public LoadClient open(BenchPlan plan, FirstFailure failure) throws BenchFailure {
            return new JmsClient(plan, failure);
        }
    };

    /** Opens a client for a run. */
    public abstract LoadClient open(BenchPlan plan, FirstFailure failure) throws BenchFailure;
}
