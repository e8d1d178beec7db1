package io.sluicemq.interop.tools;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Clients on Node.js, which npm fetches once into the build's folder. */
enum NodeClient {
    AMQPLIB("amqplib", "2.3.1"),
    RHEA("rhea", "3.0.5");

    private static final int FETCH_SECONDS = 20;

    private final String name;
    private final String version;
    /** Whether it could not be fetched: the next test need not wait for that again. */
    private boolean outOfReach;

    NodeClient(String name, String version) {
        this.name = name;
        this.version = version;
    }

    /**
     * Where it is. The test is skipped if there is no Node.js, or no registry to fetch it from.
     */
    synchronized Path installed() throws IOException, InterruptedException {
        Path folder = Path.of("target", name + "-" + version);
        Tool.assumeInstalled("node", "nodejs");
        Path modules = folder.resolve("node_modules");
        if (!Files.isRegularFile(modules.resolve(name).resolve("package.json"))) {
            Tool.assumeInstalled("npm", "npm");
            assumeTrue(!outOfReach, "npm can't fetch " + name + " " + version);
            Files.createDirectories(folder);
            Process npm = new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "--no-save",
                    "--fetch-retries=0",
                    "--ignore-scripts", "--prefix", folder.toString(), name + "@" + version).redirectErrorStream(true)
                    .redirectOutput(folder.resolve("npm.log").toFile()).start();
            boolean ended = npm.waitFor(FETCH_SECONDS, TimeUnit.SECONDS);
            npm.destroyForcibly();
            outOfReach = !ended || npm.exitValue() != 0;
            assumeTrue(!outOfReach,
                    "npm can't fetch " + name + " " + version + ": see " + folder.resolve("npm.log"));
        }
        return modules.toAbsolutePath();
    }
}
