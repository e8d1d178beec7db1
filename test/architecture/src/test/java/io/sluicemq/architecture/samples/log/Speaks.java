package io.sluicemq.architecture.samples.log;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class Speaks {
    private static final Logger LOG = LoggerFactory.getLogger(Speaks.class);

    void withAnId() {
        Happening.SOMEWHERE.log(LOG);
        LOG.debug("for whoever looks for it");
    }

    void without(RuntimeException e) {
        LOG.warn("once");
        LOG.error("with a trace", e);
        LOG.atInfo().setMessage("by the other way").log();
    }

    Consumer<String> later() {
        return LOG::info;
    }
}
