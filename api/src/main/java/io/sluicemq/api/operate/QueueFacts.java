package io.sluicemq.api.operate;

import io.sluicemq.api.Client.QueueSpec;

/**
 * What a queue is, as long as it is there.
 *
 * @param owner the connection that has it for itself, or with which it goes; empty for none
 * @param loop the index of the loop that owns it
 */
public record QueueFacts(String virtualHost, QueueSpec spec, String owner, int loop) {

    public String name() {
        return spec.name();
    }
}
