package io.sluicemq.crash;

/**
 * A message in one queue, from its publication to the restart that shows that it is gone. Guarded by the {@link
 * Ledger}.
 */
final class Copy {

    final Publication publication;

    /** Whether a restart has shown that it is there. */
    boolean recovered;

    /** {@link System#nanoTime} of its first delivery to a client; 0 if there was none. */
    long deliveredAt;

    /** How it was settled; null if it was not. */
    Settlement settlement;

    Copy(Publication publication) {
        this.publication = publication;
    }

    /** Whether it is there for certain, unless it was settled. */
    boolean isCertain() {
        return publication.persistent && (recovered || publication.isCertain());
    }
}
