package io.sluicemq.interop.slow;

import com.rabbitmq.client.Channel;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.ConsumerSetting;
import java.time.Duration;
import java.util.Map;

/**
 * Consumers of queues of their own that are sure to be cut, so that a test knows that the time of a check has passed, and need not
 * sleep. One is cut a whole period after it came, at least. The test's thread uses it.
 */
final class Markers {

    private final Lab lab;
    private int cut;

    Markers(Lab lab) {
        this.lab = lab;
    }

    /** What has them cut; the period should be that of what is tested. */
    static AddressSetting setting(Duration period) {
        return AddressSetting.match("marker.#")
                .consumer(ConsumerSetting.policy(ConsumerPolicy.DELETE).messageCount(1).checkPeriod(period));
    }

    /** Starts one; its channel closes. */
    Channel begin() throws Exception {
        String queue = "marker." + lab.name("m");
        Channel channel = lab.connect().createChannel();
        channel.queueDeclare(lab.forget(queue), true, false, false, Map.of());
        lab.send(queue, "1", "2");
        Lab.consume(channel, queue, false).next(2);
        cut++;
        return channel;
    }

    /** Waits until every consumer of the broker has been looked at over a whole period. */
    void awaitChecks() throws Exception {
        for (int i = 0; i < 3; i++) {
            Channel channel = begin();
            Lab.until("the marker is cut", () -> !channel.isOpen());
        }
    }

    /** How many were cut, or are about to be. */
    int cut() {
        return cut;
    }
}
