package io.sluicemq.protocol.amqp091;

/** The bounds of what connection.tune-ok may settle on (spec, connection.tune-ok). Stateless. */
final class Tuning {

    private Tuning() {}

    /**
     * Why a value of the client's cannot be agreed on; null if it can. 0 leaves the choice to the broker.
     *
     * @param max what the broker has offered
     */
    static String refusal(String name, long value, long min, long max) {
        if (value != 0 && value < min) {
            return "negotiated " + name + " = " + value + " is lower than the minimum allowed value (" + min + ")";
        }
        if (value > max) {
            return "negotiated " + name + " = " + value + " is higher than the maximum allowed value (" + max + ")";
        }
        return null;
    }
}
