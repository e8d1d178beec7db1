package io.sluicemq.cli.http;

import io.sluicemq.cli.text.FileFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** The file that says which broker is meant, and what else a user would have to say each time. Stateless. */
final class ContextFile {

    private static final List<String> KEYS = List.of("url", "user", "password", "password-file", "vhost", "ca");
    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private ContextFile() {}

    /**
     * What a file says.
     *
     * @throws WrongAccess if it can't be read, or others could read it, or it says something else
     */
    static Map<String, String> read(Path file) throws WrongAccess {
        requireOwn(file);
        Object read;
        try {
            read = new Load(LoadSettings.builder().setLabel(file.toString()).build())
                    .loadFromString(Files.readString(file));
        } catch (YamlEngineException e) {
            throw new WrongAccess(file + " is not YAML: " + e.getMessage().lines().findFirst().orElse(""));
        } catch (IOException e) {
            throw new WrongAccess(file + " can't be read: " + FileFailure.words(e));
        }
        Map<String, String> said = new LinkedHashMap<>();
        if (read == null) {
            return said;
        }
        if (!(read instanceof Map<?, ?> map)) {
            throw new WrongAccess(file + ": expected keys and values: " + String.join(", ", KEYS));
        }
        for (Map.Entry<?, ?> each : map.entrySet()) {
            String key = String.valueOf(each.getKey());
            if (!KEYS.contains(key)) {
                throw new WrongAccess(file + ": unknown key '" + key + "': expected one of " + String.join(", ", KEYS));
            }
            if (each.getValue() == null || each.getValue() instanceof Map || each.getValue() instanceof List) {
                throw new WrongAccess(file + ": " + key + " has no single value");
            }
            said.put(key, each.getValue().toString());
        }
        return said;
    }

    /** What may have a secret in it is its owner's alone, wherever the file system knows of owners. */
    static void requireOwn(Path file) throws WrongAccess {
        try {
            if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
                return;
            }
            if (Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
                throw new WrongAccess("others may read or change " + file + ": chmod 600 " + file);
            }
        } catch (IOException e) {
            throw new WrongAccess(file + " can't be read: " + FileFailure.words(e));
        }
    }
}
