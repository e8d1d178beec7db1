package io.sluicemq.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.campaign.many.ManyQueues;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** That the campaign does what it says, in small. */
class ManyQueuesTest {

    @Test
    void shouldListQueuesWhileMessagesFlow() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int code = ManyQueues.commandLine(new PrintStream(bytes, true, StandardCharsets.UTF_8)).execute(
                "--queues", "700", "--rounds", "1", "--seconds", "3", "--every-millis", "100", "--most-millis", "60000",
                "--least-ratio", "0.01");

        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(text).contains("700 queues", "page_size=100&sort=messages", "All was right.");
        assertThat(code).isZero();
    }
}
