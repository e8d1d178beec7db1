package io.sluicemq.server;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslStep;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.Event;
import io.sluicemq.api.operate.Login;
import io.sluicemq.api.operate.Obstacle;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.api.operate.ServerMeasures;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.api.users.UserView;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.Loop;
import io.sluicemq.base.option.Problem;
import io.sluicemq.server.config.ConfigException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** A running broker's process as its operators see it. Called by any thread but a loop. Holds nothing that changes. */
final class OperatedServer implements ServerOperations {

    private final SluiceMQ broker;
    private final Authenticator authenticator;
    private final Loop loop;
    private final Operations operations;
    private final Measured measured;
    private final long startedMillis = System.currentTimeMillis();
    private final String nodeName = "sluicemq@" + hostName();

    /** @param loop where logins are judged */
    OperatedServer(SluiceMQ broker, Authenticator authenticator, Loop loop, Operations operations, Measured measured) {
        this.broker = broker;
        this.authenticator = authenticator;
        this.loop = loop;
        this.operations = operations;
        this.measured = measured;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // a machine without a name of its own
        }
    }

    @Override
    public String version() {
        return Version.ofProduct();
    }

    @Override
    public String nodeName() {
        return nodeName;
    }

    @Override
    public long startedMillis() {
        return startedMillis;
    }

    @Override
    public List<ListenerView> listeners() {
        return broker.listenerViews();
    }

    @Override
    public CompletableFuture<ServerMeasures> measures() {
        return measured.measures();
    }

    @Override
    public List<Obstacle> obstacles() {
        return broker.isStopped() ? List.of(Obstacle.STOPPING) : measured.obstacles();
    }

    @Override
    public CompletableFuture<Login> login(String name, String password, Peer peer) {
        CompletableFuture<Login> login = new CompletableFuture<>();
        byte[] response = ("\0" + name + "\0" + password).getBytes(StandardCharsets.UTF_8);
        loop.execute(() -> authenticator.begin("PLAIN", peer, loop).respond(response, new Reply<>() {
            @Override
            public void done(SaslStep step) {
                if (step instanceof SaslStep.Success success) {
                    login.complete(new Login(success.user(), role(success.user())));
                } else {
                    login.completeExceptionally(new IllegalStateException("PLAIN has no challenge"));
                }
            }

            @Override
            public void failed(BrokerError error) {
                login.completeExceptionally(new Refused(error));
            }
        }));
        return login;
    }

    private Optional<Role> role(Principal user) {
        return user.anonymous() ? Optional.empty() : broker.users().find(user.name()).flatMap(UserView::role);
    }

    @Override
    public UserDirectory users() {
        return broker.users();
    }

    @Override
    public Map<String, String> settings() {
        return SettingText.all(broker.settings());
    }

    @Override
    public ReloadView reload(Actor actor) {
        try {
            Reload reload = broker.reload(actor.toString());
            operations.note(Event.Kind.RELOADED, "", reload.file().toString(), reload.toString());
            return new ReloadView(reload.file().toString(), reload.applied(), reload.needRestart());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(
                    e.problems().stream().map(Problem::toString).collect(Collectors.joining("\n")), e);
        }
    }

    @Override
    public void limitAddresses(Actor actor, String match, Map<String, String> limits) {
        broker.limitAddresses(match, limits);
        Audit.changed(LogEvent.LIMITS_SET, actor.toString(), "set limits of addresses '" + match + "': " + limits);
    }

    @Override
    public Map<String, Map<String, String>> limitsSetAtRunTime() {
        return broker.limitsSetAtRunTime();
    }

    @Override
    public Map<String, Map<String, Long>> virtualHostLimits() {
        return broker.hostLimits().all();
    }

    @Override
    public void limitVirtualHost(Actor actor, String virtualHost, String limit, Optional<Long> most) {
        broker.hostLimits().set(virtualHost, limit, most);
        String what = "set the limit " + limit + " of vhost '" + virtualHost + "': "
                + most.map(String::valueOf).orElse("none");
        Audit.changed(LogEvent.LIMITS_SET, actor.toString(), what);
        operations.note(Event.Kind.RELOADED, virtualHost, limit, actor + " " + what);
    }
}
