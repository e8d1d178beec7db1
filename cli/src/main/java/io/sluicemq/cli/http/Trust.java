package io.sluicemq.cli.http;

import io.sluicemq.cli.text.FileFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Whose certificates are believed, if a file says so in place of Java. Stateless. */
public final class Trust {

    private Trust() {}

    /**
     * What speaks TLS with brokers whose certificate somebody of the file has issued, or that stands in it itself; with no other.
     *
     * @param file certificates in PEM form
     * @throws WrongAccess if it has none, or can't be read
     */
    public static SSLContext of(Path file) throws WrongAccess {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new WrongAccess(file + " has no certificate in it: expected some in PEM form");
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate each : found) {
                store.setCertificateEntry("issuer " + store.size(), each);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (NoSuchFileException e) {
            throw new WrongAccess("there is no file " + file + " with certificates of issuers");
        } catch (IOException e) {
            throw new WrongAccess(file + " can't be read: " + FileFailure.words(e));
        } catch (CertificateException e) {
            throw new WrongAccess(file + " holds something else than certificates in PEM form");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has X.509 and TLS", e);
        }
    }
}
