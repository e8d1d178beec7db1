package io.sluicemq.server;

import io.sluicemq.api.users.UserRefused;
import io.sluicemq.base.option.Problem;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.engine.Shortage;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.management.AdminSocket;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.users.UserRegistry;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What can be asked of a broker by its {@link AdminSocket}; called on that socket's thread.
 *
 * <pre>
 * {"command": "why", "subject": S}    addresses that somebody waits for or that are full, each an {@link AddressState}; with
 *                                     a subject those of that name, and those that a connection with S in its name waits for;
 *                                     "shortage", a {@link Shortage}, if every publish waits for memory or for the disk
 * {"command": "addresses"}            all addresses
 * {"command": "reload"}               {@link Reload}; or "problems", lines, if the file is not valid
 * {"command": "users"}                the file of users is read again: how many "users" it holds; or "problems"
 * </pre>
 */
final class AdminCommands implements AdminSocket.Commands {

    /** An answer has no more addresses than this; it says how many were left off. */
    private static final int MAX_STATES = 10_000;

    /** An address that uses so much of a limit is full for most messages. */
    private static final double FULL = 0.95;

    /** Who asks, for the audit log: the system lets nobody else in. */
    private static final String SOCKET = "the administrators' socket";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final BrokerEngine engine;
    private final Reloading reloading;
    private final UserRegistry users;

    /** Reads the configuration again. */
    interface Reloading {
        Reload reload(String by) throws ConfigException;
    }

    AdminCommands(BrokerEngine engine, Reloading reloading, UserRegistry users) {
        this.users = users;
        this.engine = engine;
        this.reloading = reloading;
    }

    @Override
    public CompletableFuture<ObjectNode> run(ObjectNode request) {
        String command = request.path("command").asString("");
        return switch (command) {
            case "why" -> {
                String subject = request.path("subject").asString(null);
                yield engine.addressStates(null, null, false)
                        .thenApply(states -> answer(why(states, subject)))
                        .thenCombine(engine.shortage(), AdminCommands::with);
            }
            case "addresses" -> engine.addressStates(null, null, false).thenApply(AdminCommands::answer);
            case "reload" -> reload();
            case "users" -> users();
            default -> throw new IllegalArgumentException(
                    "there is no command '" + command + "': expected one of why, addresses, reload, users");
        };
    }

    private CompletableFuture<ObjectNode> reload() {
        try {
            Reload reload = reloading.reload(SOCKET);
            ObjectNode answer = JSON.createObjectNode();
            answer.put("file", reload.file().toString());
            reload.applied().forEach(answer.putArray("applied")::add);
            reload.needRestart().forEach(answer.putArray("needRestart")::add);
            return CompletableFuture.completedFuture(answer);
        } catch (ConfigException e) {
            return CompletableFuture.completedFuture(problems(e));
        } catch (IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<ObjectNode> users() {
        try {
            return CompletableFuture.completedFuture(
                    JSON.createObjectNode().put("users", users.readAgain("sluicemq user, " + SOCKET)));
        } catch (ConfigException e) {
            return CompletableFuture.completedFuture(problems(e));
        } catch (UserRefused e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static ObjectNode problems(ConfigException wrong) {
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode problems = answer.putArray("problems");
        wrong.problems().stream().map(Problem::toString).forEach(problems::add);
        return answer;
    }

    private static ObjectNode answer(List<AddressState> states) {
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode array = answer.putArray("addresses");
        states.stream()
                .sorted(Comparator.comparing(AddressState::virtualHost)
                        .thenComparing(AddressState::address)
                        .thenComparing(AddressState::kind))
                .limit(MAX_STATES)
                .forEach(state -> array.add(JSON.valueToTree(state)));
        answer.put("leftOff", Math.max(0, states.size() - MAX_STATES));
        return answer;
    }

    private static ObjectNode with(ObjectNode answer, Optional<Shortage> shortage) {
        shortage.ifPresent(found -> answer.set("shortage", JSON.valueToTree(found)));
        return answer;
    }

    /** Those that a question is about; of each only who waits that it is about. */
    static List<AddressState> why(List<AddressState> all, String subject) {
        if (subject == null) {
            return all.stream().filter(state -> !state.waiting().isEmpty() || isFull(state)).toList();
        }
        return all.stream()
                .map(state -> state.address().equals(subject) ? state : withWaiting(state, subject))
                .filter(state -> state.address().equals(subject) || !state.waiting().isEmpty())
                .toList();
    }

    private static AddressState withWaiting(AddressState state, String connection) {
        return new AddressState(
                state.virtualHost(),
                state.address(),
                state.kind(),
                state.limits(),
                state.usedBytes(),
                state.usedMessages(),
                state.highestBytes(),
                state.creditBytes(),
                state.creditMessages(),
                state.droppedMessages(),
                state.refusedMessages(),
                state.waiting().stream()
                        .filter(producer -> producer.connection().contains(connection))
                        .toList(),
                state.queues());
    }

    private static boolean isFull(AddressState state) {
        AddressLimits limits = state.limits();
        if (limits.policy() == FullPolicy.PAGE) {
            return isUsed(state.usedBytes(), limits.pageLimitBytes());
        }
        return isUsed(state.usedBytes(), limits.maxBytes()) || isUsed(state.usedMessages(), limits.maxMessages());
    }

    private static boolean isUsed(long used, long limit) {
        return limit != AddressLimits.NONE && used >= FULL * limit;
    }
}
