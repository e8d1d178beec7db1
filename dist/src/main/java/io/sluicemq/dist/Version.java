package io.sluicemq.dist;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/**
 * Tells which SluiceMQ this is, and what runs it. The build writes the version into a resource beside this class.
 * Stateless.
 */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {"SluiceMQ " + ofProduct() + " (Java " + Runtime.version() + ", "
                + System.getProperty("java.vendor") + ")"};
    }

    static String ofProduct() {
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in == null) {
                throw new IllegalStateException("the build has left version.properties out");
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
