package io.sluicemq.protocol.amqp091;

import io.sluicemq.protocol.amqp091.codec.FieldTable;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What the arguments of basic.consume mean: {@code x-priority} (RabbitMQ), and those that Qpid JMS sends with every
 * subscription. Others are passed on to the broker as they came. Immutable.
 *
 * @param priority the consumer's priority; 0 if not given
 * @param noLocal whether {@code x-qpid-no-local} asks for what the no-local bit asks for
 */
record ConsumerArguments(int priority, boolean noLocal) {

    private static final String PRIORITY = "x-priority";
    private static final String SELECTOR = "x-filter-jms-selector";
    private static final String BROWSE = "x-filter-no-consume";
    private static final String NO_LOCAL = "x-qpid-no-local";

    /** @throws Refused if a value cannot be taken, or asks for what is not offered */
    static ConsumerArguments of(Map<String, Object> arguments) {
        if (arguments.isEmpty()) {
            return new ConsumerArguments(0, false);
        }
        if (arguments.get(SELECTOR) instanceof String selector && !selector.isBlank()) {
            throw new Refused(ReplyCode.NOT_IMPLEMENTED, SELECTOR + " '" + selector + "': selectors");
        }
        if (isSet(arguments, BROWSE)) {
            throw new Refused(ReplyCode.NOT_IMPLEMENTED, BROWSE + ": browsing a queue");
        }
        return new ConsumerArguments(priority(arguments), isSet(arguments, NO_LOCAL));
    }

    private static int priority(Map<String, Object> arguments) {
        if (!arguments.containsKey(PRIORITY)) {
            return 0;
        }
        OptionalLong priority = FieldTable.integer(arguments.get(PRIORITY));
        if (priority.isEmpty() || priority.getAsLong() != (int) priority.getAsLong()) {
            throw new Refused(
                    ReplyCode.PRECONDITION_FAILED,
                    "invalid arg '" + PRIORITY + "': '" + arguments.get(PRIORITY) + "' is not a 32-bit integer");
        }
        return (int) priority.getAsLong();
    }

    /** Qpid's arguments of this kind count by being there, as true, as a non-zero number, or as void. */
    private static boolean isSet(Map<String, Object> arguments, String name) {
        if (!arguments.containsKey(name)) {
            return false;
        }
        Object value = arguments.get(name);
        OptionalLong number = FieldTable.integer(value);
        boolean off =
                Boolean.FALSE.equals(value) || "false".equals(value) || number.isPresent() && number.getAsLong() == 0;
        return !off;
    }

    /** An argument was refused; the message is for the client. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final ReplyCode code;

        Refused(ReplyCode code, String message) {
            super(message, null, false, false);
            this.code = code;
        }

        ReplyCode code() {
            return code;
        }
    }
}
