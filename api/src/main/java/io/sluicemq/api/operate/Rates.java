package io.sluicemq.api.operate;

/**
 * What passes: sums since the start of whatever it is, and how much it was a second of late.
 *
 * <p>A rate is taken over the time since the queue was looked at before, five seconds at least where that is known. So whoever looks again
 * and again sees what happens now, and who looks for the first time sees an average.
 *
 * @param in messages that came
 * @param out messages that were given to consumers, again and again if they came back
 * @param acknowledged messages that consumers have settled as accepted
 * @param inRate messages a second
 * @param outRate messages a second
 * @param acknowledgedRate messages a second
 */
public record Rates(
        long in, long out, long acknowledged, double inRate, double outRate, double acknowledgedRate) {

    /** Where nothing passes. */
    public static final Rates NONE = new Rates(0, 0, 0, 0, 0, 0);

    /** Both together. */
    public Rates plus(Rates other) {
        return new Rates(
                in + other.in, out + other.out, acknowledged + other.acknowledged, inRate + other.inRate,
                outRate + other.outRate, acknowledgedRate + other.acknowledgedRate);
    }

    /** This without a part of it; where that is of another moment, what is left may be nothing and is never less. */
    public Rates minus(Rates part) {
        return new Rates(
                Math.max(0, in - part.in), Math.max(0, out - part.out), Math.max(0, acknowledged - part.acknowledged),
                Math.max(0, inRate - part.inRate), Math.max(0, outRate - part.outRate),
                Math.max(0, acknowledgedRate - part.acknowledgedRate));
    }
}
