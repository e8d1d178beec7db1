package io.sluicemq.server.config;

import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import io.sluicemq.transport.Tls;
import java.nio.file.Path;
import java.util.Set;

/** Where clients connect: listeners, and TLS of whatever listens. Part of {@link ServerOptions}. */
public final class ListenersSection {

    public static final Option<String> LISTENER_HOST = Option.of(
            "host",
            OptionType.STRING.where(
                    "a host name or an address to listen on",
                    host -> !host.isEmpty() && host.chars().noneMatch(c -> c <= ' ' || c == '/')),
            "The address to listen on: a host name or an IPv4 or IPv6 address of this machine. `0.0.0.0` or"
                    + " `\"::\"` listens on all of them.")
            .defaultsTo("127.0.0.1");

    public static final Option<Integer> LISTENER_PORT = Option.of(
            "port", OptionType.INT, "The TCP port to listen on. 0 takes any free one.")
            .between(0, 65535)
            .defaultsTo(() -> 5672, "5672; 5671 with `tls`")
            .example("5672");

    /** The default of {@link #LISTENER_PORT} where TLS is spoken. */
    public static final int TLS_PORT = 5671;

    public static final Option<Path> TLS_CERTIFICATE = Option.of(
            "certificate",
            OptionType.PATH,
            "A file with the listener's certificate, and behind it those between it and a root that clients know, in PEM form."
                    + " A relative path starts at the working folder.")
            .required()
            .example("server.pem");

    public static final Option<Path> TLS_KEY = Option.of(
            "key",
            OptionType.PATH,
            "A file with the certificate's key in PEM form: PKCS#8, not encrypted.")
            .required()
            .example("server.key");

    public static final Option<Path> TLS_CLIENT_CA = Option.of(
            "client-ca",
            OptionType.PATH,
            "A file with the certificates of those who issue clients' certificates, in PEM form.")
            .example("clients.pem");

    public static final Option<Tls.ClientAuth> TLS_CLIENT_AUTH = Option.of(
            "client-auth",
            OptionType.oneOf(Tls.ClientAuth.class),
            "Whether clients are asked for a certificate of `client-ca`. `none`: they are not. `optional`: one that has none may"
                    + " log in otherwise. `required`: one that has none is refused. With a certificate they may log in by the"
                    + " SASL mechanism EXTERNAL.")
            .defaultsTo(Tls.ClientAuth.NONE)
            .example("optional");

    public static final Option<String> TLS_MIN_VERSION = Option.of(
            "min-version",
            OptionType.STRING.where("1.2 or 1.3", Set.of("1.2", "1.3")::contains),
            "The oldest version of TLS that is spoken.")
            .defaultsTo("1.2");

    public static final Section LISTENER_TLS = new Section(
            "tls",
            "If it is there, nothing but TLS is spoken on the port, 1.2 or 1.3.",
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_CLIENT_CA,
            TLS_CLIENT_AUTH,
            TLS_MIN_VERSION);

    /** The listener that is there if none is configured. */
    public static final String DEFAULT_LISTENER = "amqp";

    public static final NamedSections LISTENERS = new NamedSections(
            "listeners",
            "Where the broker listens: one section a listener, each under a name of your choice that logs use. If this is"
                    + " left out there is one, named `amqp`.",
            Names.NAME,
            new Section("NAME", "One listener.", LISTENER_HOST, LISTENER_PORT, LISTENER_TLS));

    private ListenersSection() {}
}
