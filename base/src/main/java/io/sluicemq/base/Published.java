package io.sluicemq.base;

/**
 * An immutable snapshot that one writer publishes and every loop reads. What the writer did before {@link #publish} is
 * visible to whoever {@link #get gets} the new value.
 */
public final class Published<T> {

    private volatile T value;

    public Published(T initial) {
        value = initial;
    }

    public T get() {
        return value;
    }

    /** Replaces the snapshot. Only its one writer may call this. */
    public void publish(T next) {
        value = next;
    }
}
