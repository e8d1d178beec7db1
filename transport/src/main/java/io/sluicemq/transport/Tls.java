package io.sluicemq.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.sluicemq.transport.TlsException.Part;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * With what a listener speaks TLS (1.2 or 1.3, by the JDK): its certificate and key, and whom it asks for theirs. Immutable; its
 * files are read once. Any loop may use it.
 */
public final class Tls {

    /** The oldest version that is spoken. */
    public enum Version {
        V1_2("TLSv1.3", "TLSv1.2"),
        V1_3("TLSv1.3");

        private final String[] spoken;

        Version(String... spoken) {
            this.spoken = spoken;
        }
    }

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private static final Pattern OTHER_KEY = Pattern.compile("-----BEGIN ([A-Z0-9 ]+ PRIVATE KEY)-----");

    /** Whether clients are asked for a certificate. */
    public enum ClientAuth {
        /** They are not. */
        NONE(io.netty.handler.ssl.ClientAuth.NONE),
        /** They are; one that has none may come all the same, but not one with a certificate that is not valid. */
        OPTIONAL(io.netty.handler.ssl.ClientAuth.OPTIONAL),
        /** They are, and must have one. */
        REQUIRED(io.netty.handler.ssl.ClientAuth.REQUIRE);

        private final io.netty.handler.ssl.ClientAuth netty;

        ClientAuth(io.netty.handler.ssl.ClientAuth netty) {
            this.netty = netty;
        }
    }

    private final SslContext context;
    private final X509Certificate own;
    private final Version oldest;
    private final byte[] fingerprint;

    private Tls(SslContext context, X509Certificate own, Version oldest, byte[] fingerprint) {
        this.context = context;
        this.own = own;
        this.oldest = oldest;
        this.fingerprint = fingerprint;
    }

    /** As {@link #read(Path, Path, Path, ClientAuth, Version)} for all versions. */
    public static Tls read(Path certificate, Path key, Path clientCa, ClientAuth clientAuth) throws TlsException {
        return read(certificate, key, clientCa, clientAuth, Version.V1_2);
    }

    /**
     * Reads the files, all of them PEM.
     *
     * @param certificate the listener's own certificate, then those between it and a root that clients know
     * @param key the certificate's key, not encrypted (PKCS#8)
     * @param clientCa who issues certificates of clients; null if none are asked for
     * @param oldest of the versions that are spoken
     * @throws TlsException if a file can't be read, or is not what it should be
     */
    public static Tls read(Path certificate, Path key, Path clientCa, ClientAuth clientAuth, Version oldest)
            throws TlsException {
        if ((clientCa == null) != (clientAuth == ClientAuth.NONE)) {
            throw new IllegalArgumentException(
                    "who issues certificates of clients is known if and only if they are asked for");
        }
        X509Certificate[] chain = certificates(Part.CERTIFICATE, certificate);
        PrivateKey privateKey = privateKey(key, chain[0].getPublicKey());
        SslContextBuilder builder = SslContextBuilder.forServer(privateKey, chain)
                .sslProvider(SslProvider.JDK)
                .protocols(oldest.spoken)
                .clientAuth(clientAuth.netty);
        X509Certificate[] issuers = clientCa == null ? new X509Certificate[0] : certificates(Part.CLIENT_CA, clientCa);
        if (clientCa != null) {
            builder.trustManager(issuers);
        }
        try {
            return new Tls(builder.build(), chain[0], oldest, fingerprint(chain, issuers, clientAuth + " " + oldest));
        } catch (SSLException e) {
            throw new TlsException(Part.CERTIFICATE, "it can't be used: " + e.getMessage(), e);
        }
    }

    private static byte[] fingerprint(X509Certificate[] chain, X509Certificate[] issuers, String rest)
            throws TlsException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (X509Certificate each : chain) {
                digest.update(each.getEncoded());
            }
            digest.update((byte) '/');
            for (X509Certificate each : issuers) {
                digest.update(each.getEncoded());
            }
            return digest.digest(rest.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new TlsException(Part.CERTIFICATE, "it can't be used: " + e.getMessage(), e);
        }
    }

    /** Whether this is the same as far as peers can see. */
    public boolean isLike(Tls other) {
        return Arrays.equals(fingerprint, other.fingerprint);
    }

    /** Until when its certificate is valid. */
    public Instant validUntil() {
        return own.getNotAfter().toInstant();
    }

    /** Whose its certificate is, and until when, for people. */
    @Override
    public String toString() {
        return "certificate of " + own.getSubjectX500Principal().getName() + ", valid until " + validUntil();
    }

    /** The same for others who speak TLS. */
    public SSLContext context() {
        return ((JdkSslContext) context).context();
    }

    /** The versions that are spoken, the newest first, as Java names them: {@code TLSv1.3}. */
    public List<String> versions() {
        return List.of(oldest.spoken);
    }

    /** What speaks TLS on one connection. Its peer's time is limited by the connection. */
    SslHandler handler(ByteBufAllocator allocator) {
        SslHandler handler = context.newHandler(allocator);
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    private static X509Certificate[] certificates(Part part, Path file) throws TlsException {
        byte[] bytes = bytes(part, file);
        try {
            X509Certificate[] found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(bytes))
                    .toArray(X509Certificate[]::new);
            if (found.length == 0) {
                throw new TlsException(part, "it holds no certificate", null);
            }
            return found;
        } catch (CertificateException e) {
            throw new TlsException(part, "it holds something else than certificates in PEM form", e);
        }
    }

    private static PrivateKey privateKey(Path file, PublicKey certified) throws TlsException {
        String text = new String(bytes(Part.KEY, file), StandardCharsets.US_ASCII);
        Matcher matcher = KEY.matcher(text);
        if (!matcher.find()) {
            Matcher other = OTHER_KEY.matcher(text);
            throw new TlsException(
                    Part.KEY,
                    other.find()
                            ? "it holds an " + other.group(1)
                                    + ", which 'openssl pkcs8 -topk8 -nocrypt' makes a PRIVATE KEY of"
                            : "it holds no PRIVATE KEY in PEM form",
                    null);
        }
        PrivateKey key;
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(1));
            key = KeyFactory.getInstance(certified.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new TlsException(
                    Part.KEY, "it holds no key for " + certified.getAlgorithm() + ", which the certificate has", e);
        }
        if (!belongTogether(key, certified)) {
            throw new TlsException(Part.KEY, "its key is not the certificate's", null);
        }
        return key;
    }

    private static boolean belongTogether(PrivateKey key, PublicKey certified) {
        try {
            String algorithm = switch (certified.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> certified.getAlgorithm();
            };
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static byte[] bytes(Part part, Path file) throws TlsException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new TlsException(part, "there is no such file", e);
        } catch (IOException e) {
            throw new TlsException(part, "it can't be read: " + e, e);
        }
    }
}
