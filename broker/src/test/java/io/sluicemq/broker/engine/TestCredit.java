package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Completion;
import io.sluicemq.api.CreditLine;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;

/** A link that sends to one address, and keeps count of its credit as a protocol would. */
final class TestCredit implements CreditLine.Sink {

    final TestClient client;
    final TestProducer producer;
    final CreditLine line;
    final String exchange;
    final String key;
    /** What its client believes to have. */
    int credit;
    /** How many it has sent for which the line had no credit. */
    int sentWithout;
    int granted;
    int revoked;

    TestCredit(TestClient client, String exchange, String key) {
        this.client = client;
        this.exchange = exchange;
        this.key = key;
        producer = new TestProducer(client.loop);
        line = client.loop.call(() -> client.client.openCredit(exchange, key, producer, this));
    }

    /** Asks, and lets all happen that follows; returns what was granted at once. */
    int asks(int messages, long bytesEach) {
        int now = client.loop.call(() -> ask(messages, bytesEach));
        client.broker.settle();
        return now;
    }

    /** On its loop. */
    int ask(int messages, long bytesEach) {
        int now = line.ask(messages, bytesEach);
        credit += now;
        return now;
    }

    /** Sends one, with credit or without, and lets all happen that follows. */
    Answer<Void> sends(Message message) {
        Answer<Void> answer = client.asksLater(reply -> send(message, reply));
        client.broker.settle();
        return answer;
    }

    /** On its loop. */
    void send(Message message, Reply<Void> reply) {
        credit--;
        if (line.messages() == 0) {
            sentWithout++;
        }
        Completion completion = client.completion(reply);
        client.client.publish(message, completion, producer);
        completion.handedOut();
    }

    /** At rest: what its client was told is right. What it has sent beyond that cost it nothing. */
    void check() {
        assertThat(credit + sentWithout).as("credit of a client").isEqualTo(line.messages());
    }

    void closes() {
        client.does(line::close);
    }

    @Override
    public void granted(int messages) {
        client.loop.assertCurrent();
        assertThat(messages).isPositive();
        granted += messages;
        credit += messages;
    }

    @Override
    public void revoked(int messages) {
        client.loop.assertCurrent();
        assertThat(messages).isPositive();
        revoked += messages;
        credit -= messages;
    }
}
