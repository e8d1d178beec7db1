package io.sluicemq.management.http;

import io.sluicemq.api.BrokerError;

/** A request can't be answered as it was meant: the status and the words of the answer that it gets instead. */
public final class ApiError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String error;
    private final String header;
    private final String value;

    /** @param error a word for programs, such as {@code bad_request} */
    public ApiError(int status, String error, String reason) {
        this(status, error, reason, null, null);
    }

    private ApiError(int status, String error, String reason, String header, String value) {
        super(reason, null, false, false);
        this.status = status;
        this.error = error;
        this.header = header;
        this.value = value;
    }

    /** The answer has this header, too. */
    ApiError with(String name, String text) {
        return new ApiError(status, error, getMessage(), name, text);
    }

    public static ApiError badRequest(String reason) {
        return new ApiError(400, "bad_request", reason);
    }

    public static ApiError notFound(String reason) {
        return new ApiError(404, "not_found", reason);
    }

    public static ApiError forbidden(String reason) {
        return new ApiError(403, "forbidden", reason);
    }

    /** For a queue or exchange that isn't there and that nobody may make, in the words that clients of AMQP 0-9-1 are refused with. */
    static void refuseReserved(BrokerError.Kind kind, String name) {
        if (name.startsWith("amq.")) {
            throw forbidden(kind.word() + " name '" + name + "' contains reserved prefix 'amq.*'");
        }
    }

    /** What the broker refuses. */
    static ApiError of(BrokerError error) {
        return switch (error) {
            case BrokerError.NotFound e ->
                notFound("no " + e.kind().word() + " '" + e.name() + "'"
                        + (e.kind() == BrokerError.Kind.VIRTUAL_HOST ? "" : in(e.virtualHost())));
            case BrokerError.Inequivalent e ->
                badRequest("inequivalent arg '" + e.property() + "' for " + e.kind().word() + " '" + e.name() + "'"
                        + in(e.virtualHost()) + ": received " + e.received() + " but current is " + e.current());
            case BrokerError.Locked e ->
                badRequest("queue '" + e.queue() + "'" + in(e.virtualHost())
                        + " is exclusive: only the connection that declared it may use it");
            case BrokerError.ExclusiveUse e ->
                badRequest("queue '" + e.queue() + "'" + in(e.virtualHost()) + " is in exclusive use");
            case BrokerError.InUse e ->
                badRequest(e.kind().word() + " '" + e.name() + "'" + in(e.virtualHost()) + " is in use");
            case BrokerError.NotEmpty e ->
                badRequest("queue '" + e.queue() + "'" + in(e.virtualHost()) + " is not empty");
            case BrokerError.InvalidArgument e ->
                badRequest("invalid arg '" + e.argument() + "' for " + e.kind().word() + " '" + e.name() + "'"
                        + in(e.virtualHost()) + ": " + e.reason());
            case BrokerError.UnknownExchangeType e -> badRequest("unknown exchange type '" + e.type() + "'");
            case BrokerError.NotAllowed e ->
                badRequest(e.kind().word() + " '" + e.name() + "'" + in(e.virtualHost()) + ": " + e.reason());
            case BrokerError.AccessRefused e -> forbidden(e.reason());
            case BrokerError.LoginRefused e -> new ApiError(401, "not_authorised", e.reason());
            case BrokerError.IdentityInUse e ->
                new ApiError(409, "conflict", "'" + e.identity() + "' is in use" + in(e.virtualHost()));
            case BrokerError.LimitReached e ->
                new ApiError(409, "limit_reached", e.what() + " of '" + e.name() + "'" + in(e.virtualHost())
                        + ": the limit is " + e.limit());
            case BrokerError.AddressFull e ->
                new ApiError(409, "address_full",
                        "'" + e.address() + "'" + in(e.virtualHost()) + ": " + e.reason());
            case BrokerError.Unavailable e -> new ApiError(503, "unavailable", e.reason());
        };
    }

    private static String in(String virtualHost) {
        return " in vhost '" + virtualHost + "'";
    }

    int status() {
        return status;
    }

    Answer answer() {
        Answer answer = Answer.error(status, error, getMessage());
        return header == null ? answer : answer.with(header, value);
    }
}
