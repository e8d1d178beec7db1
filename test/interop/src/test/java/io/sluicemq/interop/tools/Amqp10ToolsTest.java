package io.sluicemq.interop.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of AMQP 1.0 in other languages: outcomes of every kind, browsing, drain, replies, transactions, and an address that is full,
 * past which the other links of the session go on.
 */
@ExtendWith(LabExtension.class)
class Amqp10ToolsTest {

    private static final int LIMIT = 5;
    private static final String PYTHON = "/usr/bin/python3";

    @TempDir
    Path folder;

    private String script(String name) throws IOException {
        Path script = folder.resolve(name);
        try (InputStream source = Amqp10ToolsTest.class.getResourceAsStream(name)) {
            Files.copy(source, script);
        }
        return script.toString();
    }

    private record Queues(String free, String full, String failing) {

        static Queues of(Lab lab) throws IOException, TimeoutException {
            Queues queues = new Queues(lab.queue(), lab.queue(), lab.queue());
            lab.limit(
                    AddressSetting.match(queues.full).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK),
                    AddressSetting.match(queues.failing).maxMessages(LIMIT).fullPolicy(FullPolicy.FAIL));
            return queues;
        }
    }

    @Test
    void shouldServeProtonInPython(Lab lab) throws Exception {
        assumeTrue(Files.isExecutable(Path.of(PYTHON)), PYTHON + " is not installed: it is in Debian's python3");
        int exit = new ProcessBuilder(PYTHON, "-c", "import proton").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        assumeTrue(exit == 0, "Proton is not installed for " + PYTHON + ": it is in Debian's python3-qpid-proton");
        Queues queues = Queues.of(lab);

        String printed = Tool.run("", PYTHON, script("proton_client.py"), Tool.uri(lab.broker()), queues.free,
                queues.full, queues.failing);

        assertThat(printed).isEqualTo("done\n");
        assertThat(lab.depth(queues.full)).isEqualTo(LIMIT);
    }

    @Test
    void shouldServeRheaOnNode(Lab lab) throws Exception {
        Map<String, String> modules = Map.of("NODE_PATH", NodeClient.RHEA.installed().toString());
        Queues queues = Queues.of(lab);

        Tool tool = lab.closing(Tool.start(modules, "", "node", script("rhea_client.js"), lab.broker().host(),
                Integer.toString(lab.broker().port()), queues.free, queues.full, queues.failing));

        assertThat(tool.join()).isEqualTo("done\n");
        assertThat(lab.depth(queues.full)).isZero();
    }
}
