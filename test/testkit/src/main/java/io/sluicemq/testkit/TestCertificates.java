package io.sluicemq.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * Certificates for one test class, made by the JDK's keytool when they are asked for: {@code ca}, which signs {@code server}, for
 * 127.0.0.1 and localhost; and what a test adds. Used by one thread.
 */
public final class TestCertificates {

    /** Of all stores of keys. */
    public static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;

    private TestCertificates(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("keys.p12");
    }

    /** Makes {@code ca} and {@code server}; everything stays in {@code folder}. */
    public static TestCertificates in(Path folder) {
        var made = new TestCertificates(folder);
        made.addIssuer("ca");
        made.add("server", "CN=localhost", "ca", "-ext", "san=ip:127.0.0.1,dns:localhost");
        return made;
    }

    /** Adds one that signs others, and itself. */
    public TestCertificates addIssuer(String alias) {
        keytool("-genkeypair", "-alias", alias, "-dname", "CN=" + alias, "-ext", "bc:c");
        return this;
    }

    /** Adds one that {@code issuer} signs. */
    public TestCertificates add(String alias, String subject, String issuer, String... more) {
        List<String> all =
                new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-dname", subject, "-signer", issuer));
        all.addAll(List.of(more));
        keytool(all.toArray(String[]::new));
        return this;
    }

    private void keytool(String... what) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(what));
        command.addAll(List.of(
                "-keyalg", "EC", "-groupname", "secp256r1", "-keystore", store.toString(), "-storetype", "PKCS12",
                "-storepass", PASSWORD));
        try {
            Path said = folder.resolve("keytool.txt");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + " has failed: " + Files.readString(said));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A file with the certificate and those that lead to its issuer, in PEM form. */
    public Path certificate(String alias) {
        try {
            StringBuilder pem = new StringBuilder();
            for (Certificate each : keys().getCertificateChain(alias)) {
                pem.append(pem("CERTIFICATE", each.getEncoded()));
            }
            return write(alias + ".pem", pem.toString());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A file with the key, in PEM form. */
    public Path key(String alias) {
        try {
            return write(
                    alias + ".key",
                    pem("PRIVATE KEY", keys().getKey(alias, PASSWORD.toCharArray()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String what, byte[] encoded) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What a client needs that trusts {@code ca}.
     *
     * @param alias whose certificate it presents if asked; null for none
     */
    public SSLContext client(String alias) {
        return client(alias, managers -> managers);
    }

    /** As {@link #client}, but it presents its certificate whoever's the server asks for. */
    public SSLContext stubbornClient(String alias) {
        return client(alias, managers -> new KeyManager[] {new Stubborn(alias, (X509KeyManager) managers[0])});
    }

    private SSLContext client(String alias, UnaryOperator<KeyManager[]> change) {
        try {
            KeyManager[] managers = null;
            if (alias != null) {
                KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                keys.init(own(alias), PASSWORD.toCharArray());
                managers = change.apply(keys.getKeyManagers());
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A store of keys for a client that presents this certificate. */
    public Path keyStore(String alias) {
        return write(alias + ".p12", own(alias));
    }

    /** A store of certificates for a client that trusts {@code ca}. */
    public Path trustStore() {
        return write("trusted.p12", trusted());
    }

    private KeyStore trusted() {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", keys().getCertificate("ca"));
            return trusted;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore own(String alias) {
        try {
            char[] password = PASSWORD.toCharArray();
            KeyStore all = keys();
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry(alias, all.getKey(alias, password), password, all.getCertificateChain(alias));
            return own;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path write(String name, KeyStore keys) {
        Path file = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(file)) {
            keys.store(out, PASSWORD.toCharArray());
            return file;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore keys() throws GeneralSecurityException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            return keys;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Stubborn extends X509ExtendedKeyManager {

        private final String alias;
        private final X509KeyManager keys;

        Stubborn(String alias, X509KeyManager keys) {
            this.alias = alias;
            this.keys = keys;
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return alias;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {alias};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String of) {
            return keys.getCertificateChain(of);
        }

        @Override
        public PrivateKey getPrivateKey(String of) {
            return keys.getPrivateKey(of);
        }
    }
}
