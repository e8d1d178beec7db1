package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import java.util.ArrayList;
import java.util.List;

/** A producer that remembers what it is told. */
final class TestProducer extends Producer {

    final List<BrokerError> refusals = new ArrayList<>();
    int parkedChanges;

    TestProducer(Loop loop) {
        super(loop);
    }

    @Override
    public String description() {
        return "channel 1";
    }

    @Override
    protected void parkedChanged() {
        parkedChanges++;
    }

    @Override
    public void refused(BrokerError error) {
        refusals.add(error);
    }

    @Override
    protected void paced(boolean hold) {}
}
