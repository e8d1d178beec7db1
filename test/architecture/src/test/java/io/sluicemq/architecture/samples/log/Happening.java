package io.sluicemq.architecture.samples.log;

import org.slf4j.Logger;

enum Happening {
    SOMEWHERE,
    NOWHERE;

    void log(Logger logger) {
        logger.info(name());
    }
}
