package io.sluicemq.cli.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.cli.http.AccessSource.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessSourceTest {

    private static final Said NOTHING = new Said(null, null, null, null, null, null);

    @TempDir
    Path home;

    private final Map<String, String> environment = new HashMap<>();
    private String typed;
    private final AccessSource source = new AccessSource(environment::get, name -> typed);

    @BeforeEach
    void settle() {
        environment.put("HOME", home.toString());
    }

    private Path own(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void shouldBeGuestOnThisMachineIfNothingIsSaid() throws Exception {
        Access access = source.find(NOTHING);

        assertThat(access.url()).hasToString("http://127.0.0.1:15672");
        assertThat(access.user()).isEqualTo("guest");
        assertThat(access.password()).isEqualTo("guest");
        assertThat(access.virtualHost()).isEqualTo("/");
        assertThat(access).hasToString("guest at http://127.0.0.1:15672");
    }

    @Test
    void shouldGoByTheCommandLineThenTheEnvironmentThenTheFile() throws Exception {
        own(".config/sluicemq/cli.yaml", "url: http://c:1/\nuser: carl\npassword: sugar\nvhost: c\n");
        assertThat(source.find(NOTHING))
                .isEqualTo(new Access(java.net.URI.create("http://c:1"), "carl", "sugar", "c", null));

        environment.putAll(Map.of("SLUICEMQ_URL", "http://e:2", "SLUICEMQ_USER", "eve", "SLUICEMQ_PASSWORD", "milk",
                "SLUICEMQ_VHOST", "e"));
        assertThat(source.find(NOTHING))
                .isEqualTo(new Access(java.net.URI.create("http://e:2"), "eve", "milk", "e", null));

        Path secret = own("secret", "espresso\n");
        assertThat(source.find(new Said("http://a:3", "ann", secret, "a", null, null)))
                .isEqualTo(new Access(java.net.URI.create("http://a:3"), "ann", "espresso", "a", null));
    }

    @Test
    void shouldNotSendTheFilesPasswordElsewhere() throws Exception {
        Path file = own("c.yaml", "url: http://c:1\nuser: carl\npassword: sugar\n");

        assertThatThrownBy(() -> source.find(new Said("http://evil:1", null, null, null, file, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("password of 'carl' is missing");
        assertThatThrownBy(() -> source.find(new Said(null, "eve", null, null, file, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("password of 'eve' is missing");
        assertThat(source.find(new Said("http://c:1", "carl", null, null, file, null)).password()).isEqualTo("sugar");
    }

    @Test
    void shouldTakeThePasswordFromAFileThatTheFileNames() throws Exception {
        Path secret = own("secret", "sugar\n");
        Path file = own("c.yaml", "user: carl\npassword-file: " + secret + "\n");

        assertThat(source.find(new Said(null, null, null, null, file, null)).password()).isEqualTo("sugar");
    }

    @Test
    void shouldAskForAPasswordThatNothingSays() throws Exception {
        typed = "typed";
        assertThat(source.find(new Said(null, "ann", null, null, null, null)).password()).isEqualTo("typed");
        assertThat(source.find(new Said("http://elsewhere", "guest", null, null, null, null)).password())
                .isEqualTo("typed");
    }

    @Test
    void shouldRefuseFilesThatOthersCouldRead() throws Exception {
        Path file = own("c.yaml", "user: carl\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw----r--"));

        assertThatThrownBy(() -> source.find(new Said(null, null, null, null, file, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("chmod 600 " + file);
        assertThatThrownBy(() -> source.find(new Said(null, null, file, null, null, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("chmod 600 " + file);
        assertThatThrownBy(() -> source.find(new Said(null, null, home.resolve("none"), null, null, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("can't be read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"- a", "a", "uri: x", "url: [x]", "url: {a: b}", "user:", "a: b: c"})
    void shouldRefuseAFileThatSaysSomethingElse(String text) throws Exception {
        Path file = own("c.yaml", text);

        assertThatThrownBy(() -> source.find(new Said(null, null, null, null, file, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining(file.toString());
    }

    @Test
    void shouldRefuseAUserWhomHttpCannotName() {
        assertThatThrownBy(() -> source.find(new Said(null, "a:b", null, null, null, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("colon");
    }

    @Test
    void shouldWantCertificatesInTheFileOfIssuers() throws Exception {
        Path text = own("text", "no certificate");

        assertThatThrownBy(() -> source.find(new Said(null, null, null, null, null, text)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining(text + " h").hasMessageContaining("PEM");
        Path file = own("c.yaml", "ca: /nowhere\n");
        assertThatThrownBy(() -> source.find(new Said(null, null, null, null, file, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("there is no file /nowhere");
        environment.put("SLUICEMQ_CA", home.resolve("gone").toString());
        assertThatThrownBy(() -> source.find(new Said(null, null, null, null, file, null)))
                .isInstanceOf(WrongAccess.class).hasMessageContaining("gone");
    }
}
