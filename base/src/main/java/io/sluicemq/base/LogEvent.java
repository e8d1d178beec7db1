package io.sluicemq.base;

import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * What the broker says in its log at INFO and above: each kind of fact with an id, a level, when it appears and what can be done
 * about it. The reference in {@code docs/log-events.md} is made of this, and lines are written by {@link #log} alone, so that
 * none is without its id and its level is the one that is documented.
 *
 * <p>People search for ids, and programs raise alarms by them. So an id never changes and is never used again: what a line says may
 * be put otherwise, but what it means stays; an event that is gone leaves a gap. The first digit is the {@link Area}, events
 * stand in the order of their ids, and hundreds are of one subject each, as far as that goes. Stateless, any thread.
 */
public enum LogEvent {

    // ---- 1: server and configuration

    BROKER_STARTED(1001, Level.INFO,
            "A broker has started as a process of its own: its version, its Java, and what it may take.",
            "Nothing. Look here first whether memory and virtual hosts are what you meant."),
    BROKER_STOPPING(1002, Level.INFO,
            "The broker has been told to end, by SIGTERM or Ctrl-C, or ends since its log has failed.",
            "Nothing."),
    BROKER_STOPPED(1003, Level.INFO, "The broker has ended in order.",
            "Nothing."),
    STOPS_FOR_FAILED_LOG(1004, Level.ERROR,
            "The log has failed, so the broker stops by itself: nothing could be confirmed any more.",
            "See to the disk, then start it again. What was confirmed is there."),
    CONFIGURATION_READ(1101, Level.INFO,
            "The configuration was read again: what holds from now on, and what needs a restart.",
            "Restart when it suits you, if something needs that."),
    CONFIGURATION_INVALID(1102, Level.ERROR,
            "The configuration was to be read again upon SIGHUP and is not valid, so nothing of it has changed.",
            "Mend what the lines of `SMQ1103` behind it name."),
    CONFIGURATION_MISTAKE(1103, Level.ERROR,
            "One mistake of the configuration, with its file, line and what was expected.",
            "Mend it; `sluicemq config check` looks without touching the broker."),
    CONFIGURATION_NOT_READ(1104, Level.WARN,
            "SIGHUP has come, and there is nothing to read again, or the broker stops.",
            "Start the broker with `--config` if its configuration is to change while it runs."),
    CERTIFICATE_RENEWED(1201, Level.INFO,
            "New connections to a listener, or of HTTP, see another certificate from now on.",
            "Nothing."),
    CERTIFICATE_ENDS_SOON(1202, Level.WARN,
            "The certificate of a listener or of HTTP is valid for less than two weeks, at a start or a reload.",
            "Get another, and have it read by `sluicemq reload`."),
    COUNTERS(1301, Level.INFO,
            "What there is, and what has passed since the last such line; every five minutes if it has changed.",
            "See [the counters](operating.md#counters) for what to look at closer."),
    COUNTERS_MISSING(1302, Level.WARN, "An event loop did not tell its counters in time.",
            "Look at what keeps it: a machine without free CPU time, most often; `jcmd PID Thread.print` shows what"
                    + " loops do."),

    // ---- 2: connections and protocols

    CONNECTION_LIMIT(2001, Level.WARN,
            "A listener has as many connections as it may, and has refused others. At most one line in 10 s.",
            "Look for a client that does not close what it opens, or raise `limits.max-connections`."),
    UNAUTHENTICATED_LIMIT(2002, Level.WARN,
            "Too many connections of a listener have not logged in, and others were refused. At most one line in 10"
                    + " s.",
            "Look for who opens connections and says nothing, or raise `limits.max-unauthenticated-connections`."),
    TLS_FAILED(2003, Level.WARN,
            "A peer and a listener with TLS did not come to speak it. At most one line in 10 s a listener.",
            "Mostly a client without TLS, one that does not trust the broker's certificate, or a probe of a port"
                    + " scanner."),
    ACCEPT_FAILED(2004, Level.WARN, "Connections could not be accepted. At most one line in 10 s a listener.",
            "Mostly the process' limit of open files: raise it (`ulimit -n`)."),
    CONNECTION_WITHOUT_MEMORY(2005, Level.WARN,
            "A connection was closed, since there was no memory for it. At most ten lines in 10 s.",
            "Raise `-XX:MaxDirectMemorySize` or the heap, or allow fewer connections."),
    CONNECTIONS_CUT(2006, Level.INFO,
            "The broker stops, and so many connections of an event loop did not end in time.",
            "Nothing; their clients see a lost connection."),
    HANDSHAKE_LATE(2101, Level.INFO, "A peer has connected and not logged in within `limits.handshake-time-limit`.",
            "Mostly a probe of a port scanner or load balancer. If it is a client, see what keeps it."),
    PEER_SILENT(2102, Level.INFO,
            "Nothing came from a client for longer than was agreed (heartbeat, idle time-out), and it is cut.",
            "Look at the client's machine, or at what is between: a firewall that forgets connections."),
    CONNECTION_ERROR(2103, Level.WARN,
            "A client has made a mistake that ends its connection: where, the code, and the text that it has got,"
                    + " too.",
            "Have the client mended. After an update of clients or broker look for these first."),
    CHANNEL_ERROR(2104, Level.INFO, "The same for one channel of AMQP 0-9-1; the connection goes on.",
            "Have the client mended, if it did not mean to try."),
    SESSION_ERROR(2105, Level.INFO, "The same for one session of AMQP 1.0; the connection goes on.",
            "Have the client mended."),
    LINK_ERROR(2106, Level.INFO, "The same for one link of AMQP 1.0; its session goes on.",
            "Have the client mended, if it did not mean to try."),
    CLIENT_CLOSED_WITH_ERROR(2107, Level.INFO,
            "A client of AMQP 1.0 has closed its connection for an error of its own, or of ours.",
            "The client's log says more."),
    LINK_NOT_LEFT_AS_MEANT(2108, Level.INFO,
            "A link of AMQP 1.0 has ended, and what was to be done with its queue or subscription could not be done.",
            "See the reason; the client was told, too."),
    KEPT_LINKS_FULL(2201, Level.WARN,
            "More links or deliveries are kept for clients that come back than the broker, or their user, may keep, so"
                    + " those of the eldest are not any more. At most ten lines in 10 s.",
            "Look for clients with expiry-policy `never`, or long timeouts, that never return; or raise the user's"
                    + " [limit](security.md#limits)."),
    UNSETTLED_FORGOTTEN(2202, Level.INFO,
            "A connection has detached more links with unsettled deliveries than are remembered, so those of the"
                    + " eldest are not any more.",
            "Nothing, unless the client resumes links: then have it settle before it detaches."),
    SETTLED_MESSAGE_DROPPED(2203, Level.WARN,
            "A client of AMQP 1.0 has sent a message settled, so it could not be told that this was refused.",
            "See the reason; have the client send unsettled if it is to know."),

    // ---- 3: flow and memory

    MEMORY_FULL(3001, Level.WARN,
            "Messages take more memory than the budget, and publishers wait: the largest queues are named. At most"
                    + " one line in 10 s.",
            "Many ready and no consumer: start one. Many unacknowledged: a consumer does not acknowledge. Else"
                    + " `limits.message-memory` or the heap is too small."),
    MEMORY_FREE(3002, Level.INFO, "Publishers go on: the end of `SMQ3001`.",
            "Nothing. As long as it is missing, publishers wait."),
    ADDRESS_FULL(3101, Level.INFO,
            "An address or a virtual host is full, or a consumer of it too slow, and a producer waits. At most one"
                    + " line in 30 s for each.",
            "Ask [`sluicemq why`](operating.md#who-waits-and-why) whether they still do, and whose move it is."),
    ADDRESS_FREE(3102, Level.INFO, "Nobody waits there any more: the end of `SMQ3101`.",
            "Nothing."),
    PRODUCER_NOT_READ(3103, Level.WARN,
            "A client goes on publishing to a full address, and its connection is not read for a while. At most one"
                    + " line in 10 s.",
            "See [clients that go on publishing](flow-control.md#clients-that-go-on-publishing): have the client"
                    + " honour connection.blocked and channel.flow, or use confirms."),
    PRODUCER_CLOSED(3104, Level.WARN,
            "The same with `uncooperative-producers: close`, and its channel is closed. At most one line in 10 s.",
            "Likewise."),
    WAITING_MESSAGES_DROPPED(3105, Level.INFO,
            "A connection has gone while messages of it waited for room: they were not confirmed, and are dropped."
                    + " At most one line in 30 s an event loop.",
            "Nothing, if the publisher uses confirms and sends them again."),

    // ---- 4: queues and consumers

    CONSUMER_SLOW(4001, Level.WARN,
            "A consumer, or a subscription without one, is [too slow](slow-consumers.md): by what measure, and what"
                    + " was done. At most 50 lines in 10 s an event loop.",
            "One that is found again and again needs more workers, or other thresholds."),
    CONSUMER_NOT_SLOW(4002, Level.INFO, "It is not too slow any more, or has gone: the end of `SMQ4001`.",
            "Nothing."),
    QUEUE_CYCLES(4003, Level.WARN,
            "A queue with the policy `cycle` has dropped its oldest messages: how many, and how much larger it would"
                    + " have to be. At most ten lines in 10 s an event loop.",
            "Nothing, if that is what it is for. Else make it as much larger."),
    CONSUMER_CANCELLED(4004, Level.INFO,
            "A consumer of AMQP 0-9-1 that was too slow is cancelled; its channel goes on.",
            "See `SMQ4001`, which stands before it."),
    MESSAGE_UNDELIVERABLE(4101, Level.WARN,
            "The properties of a message do not fit into a frame of the consumer's connection: it goes to the dead"
                    + " letters, or is dropped.",
            "Have the client agree to a larger `frame_max`."),
    MESSAGE_TOO_LARGE(4102, Level.INFO,
            "A message is larger than a receiver of AMQP 1.0 takes, so it is passed over for others.",
            "Raise the link's max-message-size, if nobody else takes such messages."),

    // ---- 5: store

    LOG_READ(5001, Level.INFO, "What a start has found in the log, and how long it took: the first line.",
            "Nothing ([storage](storage.md))."),
    LOG_CUT(5002, Level.WARN,
            "A start after a crash has cut the end of the log off: nobody was promised what was there.",
            "Nothing."),
    CHECKPOINT_DAMAGED(5003, Level.WARN,
            "A start has found a checkpoint that is not whole; an older one, or the whole log, stands for it."
                    + " Nothing is lost.",
            "The disk has damaged a file: look after it."),
    REMOVALS_ASSUMED(5004, Level.WARN,
            "A start has found messages whose segments were given back already, and takes them for removed. It"
                    + " happens after the loss of power with `storage.sync` `interval` or `os`, or a sync that"
                    + " failed: the record of their acknowledgement went with it.",
            "Nothing."),
    LOG_FULL(5101, Level.WARN,
            "The log takes no more messages, and publishers wait: the disk is full or below"
                    + " `storage.free-space-floor`, or the log is as large as `storage.max-size` allows. At most one"
                    + " line in 10 s.",
            "Make room on the disk, which is looked at twice a second. At `storage.max-size`: see which queues are"
                    + " long, or allow more ([more](flow-control.md#the-disk))."),
    LOG_HAS_ROOM(5102, Level.INFO, "The log takes messages again: the end of `SMQ5101`.",
            "Nothing."),
    LOG_FAILED(5103, Level.ERROR,
            "A write or sync of the log has failed, and it takes nothing any more. What was confirmed is on the disk.",
            "See to the disk. An embedded broker, and `serve`, stop by themselves; start again."),
    MESSAGES_UNREADABLE(5104, Level.ERROR,
            "Messages of a queue could not be read from the log. That queue waits, and tries again; others go on. At"
                    + " most one line in 60 s a queue.",
            "The disk, or a damaged record: stop the broker and run `sluicemq log verify`."),
    CHECKPOINT_FAILED(5201, Level.WARN,
            "A checkpoint could not be written, and is tried again; until then a restart reads the log from the one"
                    + " before. At most one line in 10 s.",
            "Mostly a full disk: make room."),
    SEGMENT_NOT_EMPTIED(5202, Level.WARN,
            "A segment of the log is damaged and can't be emptied, so its space is not given back.",
            "Stop the broker and run `sluicemq log verify`."),
    FILE_NOT_DELETED(5203, Level.WARN,
            "A segment or checkpoint that nobody needs could not be deleted. At most five lines in 10 s.",
            "See the reason. Space is not given back there; segments are tried again."),
    FILE_NOT_CLOSED(5204, Level.WARN, "A file of the log could not be closed in order. At most five lines in 10 s.",
            "See the reason; nothing is lost."),
    STOP_WITHOUT_CHECKPOINT(5301, Level.WARN,
            "There was no time for a checkpoint at a stop, so the next start has to read more.",
            "Nothing."),
    LOG_NOT_CLOSED(5302, Level.WARN,
            "The log does not end at a stop. The data folder stays locked as long as this process lives.",
            "The disk may hang: look after it, then end the process."),
    DATA_FOLDER_NOT_CLOSED(5303, Level.WARN, "The data folder was not closed in order at a stop.",
            "See the reason; nothing is lost."),

    // ---- 6: management

    HTTP_NOT_STARTED(6001, Level.ERROR,
            "The HTTP server has not started: its port is bound, and nobody is served there.",
            "See the reason; all else works. Please report it if it is none of yours."),
    HTTP_SOCKET_NOT_CLOSED(6002, Level.WARN, "The HTTP server's socket was not closed in order.",
            "Nothing."),
    HTTP_NOT_STOPPED(6003, Level.WARN, "The HTTP server has not stopped in order.",
            "Nothing."),
    ADMIN_SOCKET_MISSING(6101, Level.WARN,
            "There is no administrators' socket for this broker, so commands such as `sluicemq why` reach it over"
                    + " HTTP alone.",
            "Mostly a path that is [too long](operating.md#the-administrators-socket): choose a shorter `data`."),
    ADMIN_SOCKET_ENDED(6102, Level.WARN, "The administrators' socket does not listen any more; all else works.",
            "See the reason, and restart when it suits you."),
    ADMIN_SOCKET_NOT_CLOSED(6103, Level.WARN, "The administrators' socket was not closed in order.",
            "Nothing."),
    ADMIN_ACCEPT_FAILED(6104, Level.WARN,
            "A connection to the administrators' socket could not be accepted. At most one line in 10 s.",
            "Mostly the process' limit of open files: raise it (`ulimit -n`)."),

    // ---- 7: security and audit

    LOGIN_REFUSED(7001, Level.WARN,
            "A login was refused: who, from where, by which mechanism, and why; the client does not learn the"
                    + " reason. At most one line in a second.",
            "Once: a mistyped password. Again and again: a program with an old one, or somebody who"
                    + " [guesses](security.md)."),
    ACCESS_REFUSED(7002, Level.WARN,
            "A user was refused what they have no permission for. At most 20 lines in 10 s an event loop.",
            "Grant it, or ask why the program wants it ([permissions](security.md))."),
    USER_LIMIT_REACHED(7003, Level.WARN,
            "A user or virtual host has as many connections, channels or queues as it may, and was refused another; or a"
                    + " message was larger than it may be. At most 20 lines in 10 s an event loop.",
            "Look for a client that does not close what it opens, or raise the [limit](security.md#limits)."),
    CERTIFICATE_REFUSED(7004, Level.WARN,
            "A client's certificate was refused: which, and why. At most one line in 10 s a listener.",
            "Renew the client's certificate, or add its issuer to `client-ca`."),
    USERS_CHANGED(7101, Level.INFO, "A user was added, changed or removed: by whom, and what that user may do now.",
            "Nothing."),
    CONFIGURATION_READ_BY(7102, Level.INFO, "The configuration was read again: by whom, and what has changed.",
            "Nothing."),
    OPERATOR_ACTED(7103, Level.INFO,
            "Somebody has done something with a queue or an exchange over HTTP, such as purged it.",
            "Nothing."),
    CONNECTION_CLOSED_BY_OPERATOR(7104, Level.INFO,
            "Somebody has closed a client's connection over HTTP: who, and for what reason.",
            "Nothing."),
    LIMITS_SET(7105, Level.INFO, "Somebody has set limits over HTTP: who, whose, and which.",
            "Nothing."),
    NOBODY_CAN_LOG_IN(7201, Level.WARN,
            "A listener is open to the network, but no users are configured, and guest may log in from this machine"
                    + " only.",
            "Configure [users](configuration.md#users), or listen on 127.0.0.1."),
    KEY_READABLE(7202, Level.WARN, "A private key for TLS can be read by every user of this machine.",
            "`chmod 600`, with the broker's user as its owner."),
    USERS_FILE_OPEN(7203, Level.WARN,
            "The file of users, which holds hashes of passwords, can be read or changed by others than its owner.",
            "`chmod 600`, with the broker's user as its owner."),
    USERS_FILE_UNCHANGED(7204, Level.ERROR,
            "A user was to be changed, and the file of users can't be read or written.",
            "See the reason: permissions, or a full disk."),
    USERS_FILE_INVALID(7205, Level.ERROR,
            "A user was to be changed, and the file of users is not valid: one line a mistake.",
            "Mend the file, or put back a copy."),

    // ---- 9: defects of the broker

    TASK_FAILED(9001, Level.ERROR,
            "A task of an event loop has failed; the loop goes on, and if it was a connection's, that is closed. At"
                    + " most ten lines in 10 s.",
            "Please report it, with the trace."),
    CHECK_FAILED(9002, Level.ERROR,
            "A look for slow consumers of a queue has failed; it will be done again. At most three lines in 30 s an"
                    + " event loop.",
            "Please report it, with the trace."),
    COMMAND_FAILED(9003, Level.ERROR, "A command of an administrator has failed. At most one line in 10 s.",
            "Please report it, with the trace."),
    REQUEST_FAILED(9004, Level.ERROR,
            "An HTTP request has failed, and was answered with 500. At most ten lines in 10 s.",
            "Please report it, with the trace."),
    PASSWORD_CHECK_FAILED(9005, Level.ERROR,
            "A password could not be checked, and its login was refused. At most one line in 10 s.",
            "Please report it, with the trace."),
    STOP_FAILED(9006, Level.ERROR, "The broker has not stopped in order.",
            "The next start may have to read more of the log. Please report it, with the trace."),
    CONNECTIONS_LEFT(9007, Level.WARN,
            "Connections were still open when they should all have been cut; they are, with their loops.",
            "Please report it.");

    /** How loud: as SLF4J's level of that name. */
    public enum Level {
        INFO,
        WARN,
        ERROR
    }

    /** What events are about: the first digit of their ids. */
    public enum Area {
        SERVER(1, "Server and configuration"),
        CONNECTIONS(2, "Connections and protocols"),
        FLOW(3, "Flow and memory"),
        QUEUES(4, "Queues and consumers"),
        STORE(5, "Store"),
        MANAGEMENT(6, "Management"),
        SECURITY(7, "Security and audit"),
        DEFECTS(9, "Defects of the broker");

        private final int digit;
        private final String title;

        Area(int digit, String title) {
            this.digit = digit;
            this.title = title;
        }

        /** For people. */
        public String title() {
            return title;
        }

        private static Area of(int number) {
            for (Area area : values()) {
                if (area.digit == number / 1000) {
                    return area;
                }
            }
            throw new IllegalArgumentException("no area has the number " + number);
        }
    }

    /** What an argument's words may have in a line. */
    private static final int MAX_CHARACTERS = 4_000;

    private final Area area;
    private final Level level;
    private final String says;
    private final String advice;
    private final Marker marker;

    LogEvent(int number, Level level, String says, String advice) {
        this.area = Area.of(number);
        this.level = level;
        this.says = says;
        this.advice = advice;
        this.marker = MarkerFactory.getMarker("SMQ" + number);
    }

    /** {@code SMQ} and four digits, for ever. */
    public String id() {
        return marker.getName();
    }

    public Area area() {
        return area;
    }

    public Level level() {
        return level;
    }

    /** When it appears, in Markdown, in a sentence or two. */
    public String says() {
        return says;
    }

    /** What an operator can do, likewise. */
    public String advice() {
        return advice;
    }

    /** The marker that lines of this event have, of the same name as the {@link #id}; for filters of a logging framework. */
    public Marker marker() {
        return marker;
    }

    /**
     * Writes a line, at the event's level and with its marker. Only by methods that SLF4J has had for long: where the broker is
     * embedded, an application may bring an older one.
     *
     * @param format as SLF4J's, one line
     * @param arguments what is in it, which may be of a peer's making: characters that would act on the log are replaced, and it is
     *     cut at 4,000 characters; a {@link Throwable} at the end is written with its trace
     */
    public void log(Logger logger, String format, Object... arguments) {
        Object[] shown = new Object[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            boolean asItIs = arguments[i] instanceof Number
                    || arguments[i] instanceof Throwable && i == arguments.length - 1;
            shown[i] = asItIs ? arguments[i] : Printable.of(String.valueOf(arguments[i]), MAX_CHARACTERS);
        }
        switch (level) {
            case INFO -> logger.info(marker, format, shown);
            case WARN -> logger.warn(marker, format, shown);
            case ERROR -> logger.error(marker, format, shown);
        }
    }
}
