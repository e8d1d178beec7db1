package io.sluicemq.protocol.amqp10.terminus;

/**
 * The names of subscriptions and of their queues. A queue's name is made of a word for its kind, the container's id and the
 * subscription's name, with a colon between and colons and percent signs inside percent-encoded, so that no two subscriptions have
 * the same. Global ones have no container id.
 */
final class SubscriptionName {

    /** Between a subscription's name and what tells its links apart: {@code name|2}, {@code name|global}. */
    private static final char DELIMITER = '|';

    private SubscriptionName() {}

    /** The name of the subscription that a link with the capability {@code shared} is one of. */
    static String ofShared(String linkName) {
        int delimiter = linkName.lastIndexOf(DELIMITER);
        return delimiter < 0 ? linkName : linkName.substring(0, delimiter);
    }

    /** Whether a link's name says that its subscription is of no container. */
    static boolean saysGlobal(String linkName) {
        int delimiter = linkName.lastIndexOf(DELIMITER);
        return delimiter >= 0 && linkName.startsWith("global", delimiter + 1);
    }

    /** @param container null for a global one */
    static String durable(String container, String name) {
        return queue("subscription", container, name);
    }

    /** @param container null for a global one */
    static String sharedVolatile(String container, String name) {
        return queue("shared-subscription", container, name);
    }

    /** A subscription that its link's name finds again as long as it lives. */
    static String resumable(String container, String linkName) {
        return queue("link", container, linkName);
    }

    private static String queue(String kind, String container, String name) {
        return container == null
                ? "global-" + kind + ":" + escaped(name)
                : kind + ":" + escaped(container) + ":" + escaped(name);
    }

    private static String escaped(String text) {
        return text.replace("%", "%25").replace(":", "%3A");
    }
}
