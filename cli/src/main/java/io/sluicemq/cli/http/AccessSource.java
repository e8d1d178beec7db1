package io.sluicemq.cli.http;

import io.sluicemq.cli.text.FileFailure;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Where it comes from which broker is meant and who asks: the command line, else the environment, else the context file, else guest on this machine. A
 * password is no argument, since all users of a machine can see those. Stateless.
 *
 * @param environment the value of a variable; null if it isn't set
 * @param prompt asks the user for the password of a name; null if there is nobody to ask
 */
record AccessSource(Function<String, String> environment, Function<String, String> prompt) {

    static final String DEFAULT_URL = "http://127.0.0.1:15672";
    private static final String GUEST = "guest";

    /**
     * What the command line says; each may be null.
     *
     * @param context the file that was named
     */
    record Said(String url, String user, Path passwordFile, String virtualHost, Path context, Path ca) {}

    Access find(Said said) throws WrongAccess {
        Map<String, String> context = context(said);
        URI url = url(first(said.url(), environment.apply("SLUICEMQ_URL"), context.get("url"), DEFAULT_URL));
        String user = first(said.user(), environment.apply("SLUICEMQ_USER"), context.get("user"), GUEST);
        if (user.indexOf(':') >= 0) {
            throw new WrongAccess("the user's name '" + user + "' has a colon in it, which HTTP can't carry");
        }
        String host = first(said.virtualHost(), environment.apply("SLUICEMQ_VHOST"), context.get("vhost"), "/");
        SSLContext trust = trust(said, context);
        return new Access(url, user, password(said, context, user, url), host, trust);
    }

    private SSLContext trust(Said said, Map<String, String> context) throws WrongAccess {
        if (said.ca() != null) {
            return Trust.of(said.ca());
        }
        String named = environment.apply("SLUICEMQ_CA");
        if (named == null || named.isEmpty()) {
            named = context.get("ca");
        }
        return named == null ? null : Trust.of(Path.of(named));
    }

    private static String first(String... all) {
        for (String each : all) {
            if (each != null && !each.isEmpty()) {
                return each;
            }
        }
        throw new IllegalArgumentException("there is no default");
    }

    private Map<String, String> context(Said said) throws WrongAccess {
        if (said.context() != null) {
            return ContextFile.read(said.context());
        }
        Path usual = usualContext();
        return usual != null && Files.exists(usual) ? ContextFile.read(usual) : Map.of();
    }

    /** Where it is if nothing is said; null if nobody has a home. */
    private Path usualContext() {
        String configured = environment.apply("XDG_CONFIG_HOME");
        String home = environment.apply("HOME");
        if (configured != null && configured.startsWith("/")) {
            return Path.of(configured, "sluicemq", "cli.yaml");
        }
        return home == null || home.isEmpty() ? null : Path.of(home, ".config", "sluicemq", "cli.yaml");
    }

    private static URI url(String text) throws WrongAccess {
        String wrong = "'" + text + "' is no URL of a broker: expected one such as " + DEFAULT_URL;
        try {
            URI url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            if (url.getUserInfo() != null) {
                throw new WrongAccess("a URL with a name or password in it is seen by all users of this machine:"
                        + " say --user, and the password by SLUICEMQ_PASSWORD or --password-file");
            }
            if (url.getHost() == null || !"http".equals(url.getScheme()) && !"https".equals(url.getScheme())
                    || url.getQuery() != null || url.getFragment() != null) {
                throw new WrongAccess(wrong);
            }
            return url;
        } catch (URISyntaxException e) {
            throw new WrongAccess(wrong);
        }
    }

    private String password(Said said, Map<String, String> context, String user, URI url) throws WrongAccess {
        if (said.passwordFile() != null) {
            return read(said.passwordFile());
        }
        String given = environment.apply("SLUICEMQ_PASSWORD");
        if (given != null) {
            return given;
        }
        // The file's password is for the file's user at the file's broker, and nobody else gets to see it.
        if (user.equals(context.getOrDefault("user", GUEST))
                && url.equals(url(context.getOrDefault("url", DEFAULT_URL)))) {
            if (context.containsKey("password")) {
                return context.get("password");
            }
            if (context.containsKey("password-file")) {
                return read(Path.of(context.get("password-file")));
            }
        }
        if (user.equals(GUEST) && isHere(url.getHost())) {
            return GUEST;
        }
        String typed = prompt.apply(user);
        if (typed != null) {
            return typed;
        }
        throw new WrongAccess("the password of '" + user + "' is missing: SLUICEMQ_PASSWORD or --password-file say it,"
                + " and on a terminal it is asked for");
    }

    private static boolean isHere(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    private static String read(Path file) throws WrongAccess {
        ContextFile.requireOwn(file);
        try {
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw new WrongAccess(file + " can't be read: " + FileFailure.words(e));
        }
    }
}
