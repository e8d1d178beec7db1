package io.sluicemq.interop.tools;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** amqplib, a client on Node.js, which npm fetches once into the build's folder. */
final class NodeClient {

    private static final String VERSION = "2.3.1";
    private static final Path FOLDER = Path.of("target", "amqplib-" + VERSION);
    private static final int FETCH_SECONDS = 20;
    /** Whether it could not be fetched: the next test need not wait for that again. */
    private static boolean outOfReach;

    private NodeClient() {}

    /**
     * Where it is. The test is skipped if there is no Node.js, or no registry to fetch it from.
     */
    static synchronized Path installed() throws IOException, InterruptedException {
        Tool.assumeInstalled("node", "nodejs");
        Path modules = FOLDER.resolve("node_modules");
        if (!Files.isRegularFile(modules.resolve("amqplib/package.json"))) {
            Tool.assumeInstalled("npm", "npm");
            assumeTrue(!outOfReach, "npm can't fetch amqplib " + VERSION);
            Files.createDirectories(FOLDER);
            Process npm = new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "--no-save",
                    "--fetch-retries=0",
                    "--ignore-scripts", "--prefix", FOLDER.toString(), "amqplib@" + VERSION).redirectErrorStream(true)
                    .redirectOutput(FOLDER.resolve("npm.log").toFile()).start();
            boolean ended = npm.waitFor(FETCH_SECONDS, TimeUnit.SECONDS);
            npm.destroyForcibly();
            outOfReach = !ended || npm.exitValue() != 0;
            assumeTrue(!outOfReach,
                    "npm can't fetch amqplib " + VERSION + ": see " + FOLDER.resolve("npm.log"));
        }
        return modules.toAbsolutePath();
    }
}
