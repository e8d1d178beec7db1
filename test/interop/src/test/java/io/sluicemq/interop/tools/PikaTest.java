package io.sluicemq.interop.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A client in Python. */
@ExtendWith(LabExtension.class)
class PikaTest {

    /** Debian's own Python, for which Debian's package of pika is installed. */
    private static final String PYTHON = "/usr/bin/python3";

    /** The Python to run; the test is skipped if it has no pika. */
    static String python() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of(PYTHON)), PYTHON + " is not installed: it is in Debian's python3");
        int exit = new ProcessBuilder(PYTHON, "-c", "import pika").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        assumeTrue(exit == 0, "pika is not installed for " + PYTHON + ": it is in Debian's python3-pika");
        return PYTHON;
    }

    @Test
    @Spec({"0-9-1 basic.publish", "0-9-1 basic.consume", "0-9-1 tx.commit", "RabbitMQ publisher confirms",
        "RabbitMQ direct reply-to"})
    void shouldServeAnApplicationInPython(Lab lab, @TempDir Path folder) throws Exception {
        String python = python();
        Path script = folder.resolve("pika_client.py");
        try (InputStream source = PikaTest.class.getResourceAsStream("pika_client.py")) {
            Files.copy(source, script);
        }
        assertThat(Tool.run("", python, script.toString(), Tool.uri(lab.broker()))).isEqualTo("done\n");
    }
}
