package io.sluicemq.protocol.amqp091.conversion;

import io.sluicemq.api.PortableMessage.Body;
import java.util.Set;

/** The headers and MIME types that a message of this format and one of another have their differences in. */
final class Names {

    /** Headers for properties that this format lacks, or whose values are too long or no text. */
    static final String MESSAGE_ID = "x-message-id";

    static final String CORRELATION_ID = "x-correlation-id";
    static final String USER_ID = "x-user-id";
    static final String SUBJECT = "x-subject";
    static final String REPLY_TO = "x-reply-to";
    static final String CONTENT_TYPE = "x-content-type";
    static final String CONTENT_ENCODING = "x-content-encoding";
    static final String REPLY_TO_GROUP_ID = "x-reply-to-group-id";
    static final String GROUP_ID = "JMSXGroupID";
    static final String GROUP_SEQUENCE = "JMSXGroupSeq";

    /** Annotations for the properties that only this format has. */
    static final String APP_ID = "x-basic-app-id";

    static final String CLUSTER_ID = "x-basic-cluster-id";

    /** The property type of a message whose body is sections of AMQP 1.0 (RabbitMQ). */
    static final String AMQP_1_0_BODY = "amqp-1.0";

    static final String TEXT = "text/plain";
    static final String BYTES = "application/octet-stream";
    static final String QPID_MAP = "amqp/map";
    static final String QPID_LIST = "amqp/list";
    static final String JMS_MAP = "jms/map-message";
    static final String JMS_STREAM = "jms/stream-message";
    static final String QPID_OBJECT = "application/java-object-stream";
    static final String JAVA_OBJECT = "application/x-java-serialized-object";

    static final Body.Encoded NOT_ENCODED = new Body.Encoded(new Body.Data(new byte[0]));

    private static final Set<String> HISTORY = Set.of(
            "x-death",
            "x-first-death-queue",
            "x-first-death-reason",
            "x-first-death-exchange",
            "x-last-death-queue",
            "x-last-death-reason",
            "x-last-death-exchange",
            "x-delivery-count");

    private Names() {}

    /** Whether a header says what befell the message on its way, which is told anew at each delivery. */
    static boolean isHistory(String header) {
        return HISTORY.contains(header);
    }

    /** The MIME type by which Qpid JMS 0-x knows a kind of message; null if there is none. */
    static String contentType(int jmsType) {
        return switch (jmsType) {
            case 1 -> QPID_OBJECT;
            case 2 -> QPID_MAP;
            case 3 -> BYTES;
            case 4 -> JMS_STREAM;
            case 5 -> TEXT;
            default -> null;
        };
    }
}
