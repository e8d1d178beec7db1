package io.sluicemq.server.users;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.security.Grant;
import io.sluicemq.security.NamePattern;
import io.sluicemq.security.StoredPassword;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.PermissionsReader;
import io.sluicemq.server.config.UsersSection;
import io.sluicemq.server.config.YamlReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The file in which users are stored: YAML, for the user who runs the broker and nobody else (mode 600).
 *
 * <pre>
 * decoy-secret: "base 64"
 * users:
 *   - name: "ann"
 *     role: administrator
 *     password-sha-256: "iterations:salt:StoredKey:ServerKey"
 *     password-sha-512: "…"
 *     permissions:
 *       - virtual-host: "/"
 *         configure: ["#"]
 *         write: ["#"]
 *         read: ["#"]
 * </pre>
 *
 * <p>It is changed as a whole: a new file is written beside it, brought to the disk, and renamed; so whoever reads it finds the old
 * or the new one, also after the loss of power. Who changes it holds a lock on a file of its own, among processes and threads. Any
 * thread that may wait for a disk.
 */
public final class UsersFile {

    private static final String LOCK = ".lock";
    private static final String NEW = ".new";
    private static final Object CHANGING = new Object();
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OF_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private final Path path;

    public UsersFile(Path path) {
        this.path = path;
    }

    public Path path() {
        return path;
    }

    public boolean exists() {
        return Files.exists(path);
    }

    /** A change of what is stored. */
    @FunctionalInterface
    public interface Change {

        /** @throws io.sluicemq.api.users.UserRefused if it makes no sense; then nothing changes */
        StoredUsers apply(StoredUsers stored);
    }

    /** Whether others than the user who owns it can read or change it; false also where the file system can't tell. */
    public boolean isOpenToOthers() throws IOException {
        if (!Files.getFileStore(path).supportsFileAttributeView("posix")) {
            return false;
        }
        return Files.getPosixFilePermissions(path).stream().anyMatch(OF_OTHERS::contains);
    }

    // ---- reading

    /** @throws ConfigException if it can't be read or is not valid; its problems name file and line, and nothing secret */
    public StoredUsers read() throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        Settings settings = YamlReader.read(path, UsersSection.USERS_FILE_ROOT, problems);
        List<StoredUser> users = new ArrayList<>();
        for (Settings section : settings.list(UsersSection.STORED_USERS)) {
            section.find(UsersSection.USER_NAME).ifPresent(name -> users.add(new StoredUser(
                    name,
                    password(section, name, problems),
                    section.find(UsersSection.USER_ROLE),
                    section.get(UsersSection.USER_LOOPBACK_ONLY),
                    PermissionsReader.read(section),
                    PermissionsReader.limits(section))));
        }
        byte[] secret = secret(settings, problems);
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return new StoredUsers(secret, users);
    }

    private static byte[] secret(Settings settings, List<Problem> problems) {
        Optional<String> text = settings.find(UsersSection.DECOY_SECRET);
        if (text.isEmpty()) {
            return StoredUsers.none().decoySecret();
        }
        try {
            return Base64.getDecoder().decode(text.get());
        } catch (IllegalArgumentException e) {
            problems.add(wrong(settings, UsersSection.DECOY_SECRET, "expected base 64"));
            return new byte[0];
        }
    }

    /** Null if there is none, or if it is wrong. */
    private static StoredPassword password(Settings user, String name, List<Problem> problems) {
        Optional<String> sha256 = user.find(UsersSection.STORED_SHA_256);
        Optional<String> sha512 = user.find(UsersSection.STORED_SHA_512);
        if (sha256.isEmpty() && sha512.isEmpty()) {
            return null;
        }
        Option<String> option = sha256.isPresent() ? UsersSection.STORED_SHA_256 : UsersSection.STORED_SHA_512;
        if (sha256.isEmpty() || sha512.isEmpty()) {
            problems.add(wrong(user, option,
                    "user " + name + " has one of password-sha-256 and password-sha-512: expected both or none"));
            return null;
        }
        try {
            return StoredPassword.parse(sha256.get(), sha512.get());
        } catch (IllegalArgumentException e) {
            problems.add(wrong(user, option, "the stored password of user " + name + " is damaged: " + e.getMessage()));
            return null;
        }
    }

    private static Problem wrong(Settings settings, Option<String> option, String message) {
        Place place = settings.place(option);
        return Problem.of(place, option.key(), message);
    }

    // ---- changing

    /**
     * Changes what is stored; the file is made if it isn't there.
     *
     * @return what is stored now, which is on the disk
     * @throws IOException if it can't be written; then nothing has changed
     */
    public StoredUsers change(Change change) throws IOException, ConfigException {
        Path target = exists() ? path.toRealPath() : path.toAbsolutePath();
        Path folder = target.getParent();
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        synchronized (CHANGING) {
            try (FileChannel lockFile = open(target.resolveSibling(target.getFileName() + LOCK));
                    FileLock lock = lockFile.lock()) {
                StoredUsers before = exists() ? read() : StoredUsers.none();
                StoredUsers after = change.apply(before);
                if (!lock.isValid()) {
                    throw new IOException("the lock on " + target + " was lost");
                }
                if (!after.equals(before) || !exists()) {
                    replace(target, text(after));
                }
                return after;
            }
        }
    }

    private static FileChannel open(Path file) throws IOException {
        Set<OpenOption> how = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean posix = Files.getFileStore(file.getParent()).supportsFileAttributeView("posix");
        FileAttribute<?>[] mode = posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWN)}
                : new FileAttribute<?>[0];
        return FileChannel.open(file, how, mode);
    }

    private static void replace(Path target, String text) throws IOException {
        Path fresh = target.resolveSibling(target.getFileName() + NEW);
        Files.deleteIfExists(fresh);
        try {
            try (FileChannel channel = open(fresh)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
        try (FileChannel folder = FileChannel.open(target.getParent(), StandardOpenOption.READ)) {
            folder.force(true); // so that the name survives the loss of power
        }
    }

    // ---- writing

    private static String text(StoredUsers stored) {
        StringBuilder out = new StringBuilder();
        out.append("# The users of SluiceMQ, written by 'sluicemq user' and by the broker: comments are not kept.\n");
        out.append(UsersSection.DECOY_SECRET.key()).append(": ")
                .append(quoted(Base64.getEncoder().encodeToString(stored.decoySecret()))).append('\n');
        out.append(UsersSection.STORED_USERS.key()).append(stored.users().isEmpty() ? ": []\n" : ":\n");
        for (StoredUser user : stored.users()) {
            out.append("  - ").append(UsersSection.USER_NAME.key()).append(": ").append(quoted(user.name()))
                    .append('\n');
            user.role().ifPresent(
                    role -> line(out, "    ", UsersSection.USER_ROLE, role.word()));
            if (user.loopbackOnly()) {
                line(out, "    ", UsersSection.USER_LOOPBACK_ONLY, "true");
            }
            if (user.password() != null) {
                line(out, "    ", UsersSection.STORED_SHA_256, quoted(user.password().sha256()));
                line(out, "    ", UsersSection.STORED_SHA_512, quoted(user.password().sha512()));
            }
            user.limits().limits().forEach((limit, most) -> {
                Option<Long> option = UsersSection.USER_LIMITS.get(limit);
                line(out, "    ", option, option.type().format(most));
            });
            permissions(out, user.permissions());
        }
        return out.toString();
    }

    private static void permissions(StringBuilder out, Map<String, Grant> permissions) {
        if (permissions.isEmpty()) {
            return;
        }
        out.append("    ").append(UsersSection.USER_PERMISSIONS.key()).append(":\n");
        new TreeMap<>(permissions).forEach((host, grant) -> {
            line(out, "      - ", UsersSection.PERMISSION_HOST, quoted(host));
            line(out, "        ", UsersSection.CONFIGURE, list(grant.configure()));
            line(out, "        ", UsersSection.WRITE, list(grant.write()));
            line(out, "        ", UsersSection.READ, list(grant.read()));
        });
    }

    private static void line(StringBuilder out, String indent, Option<?> option, String value) {
        out.append(indent).append(option.key()).append(": ").append(value).append('\n');
    }

    private static String list(List<NamePattern> patterns) {
        return patterns.stream()
                .map(pattern -> quoted(pattern.toString()))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** A text as a double-quoted scalar of YAML (1.2, §7.3.1). */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                default -> {
                    if (c < ' ' || c == 0x7f || c >= 0x80 && !Character.isLetterOrDigit(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.append('"').toString();
    }
}
