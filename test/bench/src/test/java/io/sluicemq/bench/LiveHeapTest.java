package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LiveHeapTest {

    @Test
    @Timeout(90)
    void shouldCountWhatAnotherJvmHolds() throws Exception {
        try (Sandbox sandbox = new Sandbox()) {
            Peer.Running relay = new RelayPeer().start(sandbox, 1);

            assertThat(LiveHeap.bytes(relay.pids().getFirst(), sandbox.folder()).orElseThrow())
                    .isBetween(100_000L, 100_000_000L);
        }
    }
}
