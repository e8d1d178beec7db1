package io.sluicemq.dist;

import io.sluicemq.dist.Page.Block;
import io.sluicemq.dist.Page.Mark;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Does all that a page tells people to do, in its order and in a folder of its own: one shell runs its commands and programs, with an unpacked
 * archive as their {@code bin/sluicemq}. Used by one thread.
 *
 * <p>What is not as on a reader's machine: the ports are free ones, the system's folders for data and configuration are below the folder, a load is
 * put on for one second. The broker's processes, and all else that the page has left running, end with the shell.
 */
final class PageRun {

    private static final long LIMIT_SECONDS = 110;
    private static final String NUMBER = "\\d[\\d.]*(?: (?:B|KiB|MiB|GiB|ms|s)\\b)?";

    /** Ports that pages have, which may run at the same time. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    /** What is put in place of what a page says. */
    private final Map<Pattern, String> stands;

    private final Page page;
    private final Path folder;
    private final Path installation;

    /**
     * @param folder an empty one
     * @param installation an unpacked archive
     */
    PageRun(Page page, Path folder, Path installation) {
        this.page = page;
        this.folder = folder;
        this.installation = installation;
        int[] ports = freePorts();
        this.stands = Map.of(
                Pattern.compile("\\b5672\\b"), Integer.toString(ports[0]),
                Pattern.compile("\\b5671\\b"), Integer.toString(ports[1]),
                Pattern.compile("\\b15672\\b"), Integer.toString(ports[2]),
                Pattern.compile("BlockingConnection\\(\\)"),
                "BlockingConnection(pika.ConnectionParameters(port=" + ports[0] + "))",
                Pattern.compile("sluicemq-VERSION"), Installation.name(),
                Pattern.compile("(?<![\\w.])/(var/lib|etc)/sluicemq"),
                Matcher.quoteReplacement(folder + "/") + "$1/sluicemq",
                Pattern.compile("--seconds \\d+"), "--seconds 1 --warmup 0 --rate 1000");
    }

    /** What must be on a machine for this page, and isn't everywhere; each with a command that fails without it. */
    static Map<String, List<String>> needs() {
        return Map.of(
                "import pika", List.of("/usr/bin/python3", "-c", "import pika"),
                "import proton", List.of("/usr/bin/python3", "-c", "import proton"),
                "amqp-", List.of("amqp-publish", "--help"),
                "curl ", List.of("curl", "--version"),
                "openssl ", List.of("openssl", "version"));
    }

    /** Whether there is anything to run. */
    static boolean isFor(Page page) {
        return page.blocks().stream().anyMatch(PageRun::runs);
    }

    private static boolean runs(Block block) {
        return block.mark() != Mark.NOT_RUN
                && (block.language().equals("sh") || block.language().equals("python"))
                && block.mark() != Mark.SAVED_AS;
    }

    /** Whether a block is a Java program, which is saved under the name of its class. */
    static String program(Block block) {
        Matcher name = Pattern.compile("(?m)^public class (\\w+) ").matcher(block.text());
        return block.language().equals("java") && block.mark() != Mark.NOT_RUN && name.find()
                ? name.group(1) + ".java"
                : null;
    }

    /** Returns what does not hold, each with the line where it stands. */
    List<String> run() throws IOException, InterruptedException {
        prepare();
        Path script = Files.writeString(folder.resolve("run/script.sh"), script());
        Path err = folder.resolve("run/err");
        Process process = Script.builder(folder, environment(), "/bin/sh", script.toString())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(folder.resolve("run/out").toFile())
                .redirectError(err.toFile())
                .start();
        List<String> problems = new ArrayList<>();
        try {
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!ended || process.exitValue() != 0) {
                problems.add(page + ":" + Files.readString(folder.resolve("run/at")).strip()
                        + (ended ? ": a command has failed with " + process.exitValue() : ": it goes on for too long")
                        + "\n" + Files.readString(err));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (problems.isEmpty()) {
            checkOutput(problems);
            checkConfigurations(problems);
        }
        return problems;
    }

    private Map<String, String> environment() throws IOException {
        return Map.of(
                "PATH", folder.resolve("run/tools") + ":" + System.getProperty("java.home") + "/bin:/usr/bin:/bin",
                "JAVA_HOME", System.getProperty("java.home"),
                "SLUICEMQ_LOG_LEVEL", "WARN",
                "SLUICEMQ_JAVA_OPTS", "-XX:TieredStopAtLevel=1",
                "SLUICEMQ_URL", stand("http://127.0.0.1:15672"),
                "SLUICEMQ__LISTENERS__AMQP__PORT", stand("5672"),
                "SLUICEMQ__HTTP__PORT", stand("15672"),
                // The machine may have much else to do while a password is looked at for the first time.
                "SLUICEMQ__LIMITS__HANDSHAKE_TIME_LIMIT", "60s");
    }

    private void prepare() throws IOException {
        Path tools = Files.createDirectories(folder.resolve("run/tools"));
        Files.createDirectories(folder.resolve("bin"));
        Files.createDirectories(folder.resolve("var/lib"));
        Files.createDirectories(folder.resolve("etc/sluicemq"));
        Path sluicemq = tool(tools.resolve("sluicemq"), """
                case ${1:-} in bench) shift; set -- bench --uri amqp://guest:guest@127.0.0.1:5672 "$@" ;; esac
                exec '%s/bin/sluicemq' "$@"
                """.formatted(installation));
        Files.createSymbolicLink(folder.resolve("bin/sluicemq"), sluicemq);
        tool(tools.resolve("curl"), "exec /usr/bin/curl --fail \"$@\"\n");
        for (String name : List.of("publish", "get", "consume", "declare-queue", "delete-queue")) {
            tool(tools.resolve("amqp-" + name), """
                    case " $* " in
                        *--port*|*--url*|*--ssl*|*--help*) exec /usr/bin/amqp-%1$s "$@" ;;
                        *) exec /usr/bin/amqp-%1$s --port 5672 "$@" ;;
                    esac
                    """.formatted(name));
        }
        boolean unpacks = page.blocks("sh").stream().anyMatch(block -> block.text().contains("tar -xzf"));
        Path installed = unpacks ? Installation.archive() : installation;
        Files.createSymbolicLink(folder.resolve(installed.getFileName()), installed);
        for (Block block : page.blocks()) {
            String name = block.mark() == Mark.SAVED_AS ? block.detail() : program(block);
            if (name != null) {
                Files.writeString(folder.resolve(name), stand(block.text()));
            }
        }
    }

    private Path tool(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + stand(text));
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String script() throws IOException {
        StringBuilder script = new StringBuilder("""
                set -eu
                going=
                ended() {
                    code=$?
                    trap - EXIT
                    [ -z "$going" ] || kill $going 2> /dev/null || :
                    wait
                    exit $code
                }
                trap ended EXIT
                """);
        int broker = 3;
        for (Block block : page.blocks()) {
            if (!runs(block)) {
                continue;
            }
            String text = stand(block.text()).strip();
            if (block.language().equals("python")) {
                Path file = Files.writeString(folder.resolve("run/" + block.line() + ".py"), text);
                text = "/usr/bin/python3 " + file;
            }
            String out = "run/" + block.line() + ".out";
            script.append("echo ").append(block.line()).append(" > run/at\n");
            if (block.mark() != Mark.GOES_ON) {
                script.append("{\n").append(text).append("\n} > ").append(out).append('\n');
                continue;
            }
            if (text.contains("\n")) {
                throw new IllegalStateException(page.at(block) + ": only a block of one command can go on");
            }
            boolean serves = text.contains("sluicemq") && text.contains(" serve");
            script.append(serves ? "mkfifo " + out + "\n" : "")
                    .append("( exec env ").append(text).append("\n) > ").append(out).append(" &\n")
                    .append("going=\"$going $!\"\n");
            if (serves) {
                script.append("exec ").append(broker).append("< ").append(out).append('\n')
                        .append("read -r ready <&").append(broker).append('\n')
                        .append("case $ready in 'SluiceMQ ready '*) ;; *) echo \"$ready\" >&2; exit 1 ;; esac\n");
                broker++;
            }
        }
        return script.toString();
    }

    private void checkOutput(List<String> problems) throws IOException {
        Block before = null;
        for (Block block : page.blocks()) {
            if (block.mark() == Mark.PRINTS) {
                List<String> printed = Files.readAllLines(folder.resolve("run/" + before.line() + ".out"));
                int at = 0;
                for (String line : block.text().lines().filter(line -> !line.equals("…")).toList()) {
                    Pattern wanted = wanted(line);
                    int from = at;
                    while (at < printed.size() && !wanted.matcher(printed.get(at)).matches()) {
                        at++;
                    }
                    if (at++ >= printed.size()) {
                        problems.add(page.at(block) + ": '" + line + "' is not what is printed then: "
                                + String.join("\n", printed.subList(Math.min(from, printed.size()), printed.size())));
                        break;
                    }
                }
            } else if (runs(block)) {
                before = block;
            }
        }
    }

    /** Numbers, and the units that they come in, are those of another run. */
    private static Pattern wanted(String line) {
        StringBuilder pattern = new StringBuilder();
        Matcher parts = Pattern.compile(NUMBER + "|…|[^\\d…]+").matcher(line);
        while (parts.find()) {
            pattern.append(switch (parts.group().charAt(0)) {
                case '…' -> ".*";
                case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> NUMBER;
                default -> Pattern.quote(parts.group());
            });
        }
        return Pattern.compile(pattern.toString());
    }

    /** What is YAML and nothing else is a configuration, or a part of one. */
    private void checkConfigurations(List<String> problems) throws IOException {
        for (Block block : page.blocks("yaml")) {
            if (block.mark() == Mark.NOT_RUN) {
                continue;
            }
            // This process is in another folder than the page.
            String text = stand(block.text()).replaceAll(": ([\\w-]+\\.(pem|key))\\b", ": " + folder + "/$1");
            Path file = Files.writeString(folder.resolve("run/" + block.line() + ".yaml"), text);
            StringWriter said = new StringWriter();
            PrintWriter writer = new PrintWriter(said, true);
            if (Main.run(writer, writer, "config", "check", "--config", file.toString()) != 0) {
                problems.add(page.at(block) + ": " + said);
            }
        }
    }

    private String stand(String text) {
        String result = text;
        for (Map.Entry<Pattern, String> stand : stands.entrySet()) {
            result = stand.getKey().matcher(result).replaceAll(stand.getValue());
        }
        return result;
    }

    /** Three that are free, and below those that the system gives to clients: until the page's broker listens no one else is given them. */
    private static int[] freePorts() {
        Random random = new Random();
        return random.ints(20_000, 32_000).filter(PageRun::isFree).filter(GIVEN::add).limit(3).toArray();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
