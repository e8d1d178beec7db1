package io.sluicemq.protocol.amqp10.codec;

import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** What a peer has done wrong, or is refused: the error to send, and what of it ends with that. */
public final class AmqpFault extends Exception {

    private static final long serialVersionUID = 1L;

    /** The most characters of a description: an error must fit into the smallest frame that a peer may ask for. */
    private static final int MOST_CHARACTERS = 300;

    /** What ends. */
    public enum Scope {
        LINK,
        SESSION,
        CONNECTION
    }

    private final Scope scope;
    private final transient Symbol condition;
    private final transient Map<Symbol, Object> info;

    private AmqpFault(Scope scope, Symbol condition, String description, Map<Symbol, Object> info) {
        super(
                description.length() > MOST_CHARACTERS ? description.substring(0, MOST_CHARACTERS) + '…' : description,
                null, false, false);
        this.scope = scope;
        this.condition = condition;
        this.info = info;
    }

    /** Ends the connection. */
    public static AmqpFault connection(Symbol condition, String description) {
        return new AmqpFault(Scope.CONNECTION, condition, description, null);
    }

    /** Ends a session. */
    public static AmqpFault session(Symbol condition, String description) {
        return new AmqpFault(Scope.SESSION, condition, description, null);
    }

    /** Ends a link. */
    public static AmqpFault link(Symbol condition, String description) {
        return new AmqpFault(Scope.LINK, condition, description, null);
    }

    /** The same with supplementary information. */
    public AmqpFault with(Map<Symbol, Object> more) {
        return new AmqpFault(scope, condition, getMessage(), more);
    }

    public Scope scope() {
        return scope;
    }

    public Symbol condition() {
        return condition;
    }

    /** The error as it is sent. */
    public ErrorCondition error() {
        return new ErrorCondition(condition, getMessage(), info);
    }
}
