package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Broker;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links whose termini outlive their connections, by what they are called: who has the name now, and what is kept of one that has
 * ended (part 2, §2.6.1, §2.6.5). Owned by one loop, its home; the methods that are given another loop as {@code here} are called on that and
 * only send.
 *
 * <p>Invariant: a name has one owner, or what its last owner has left, never both. No more than {@link #MOST_LINKS} links and {@link
 * #MOST_DELIVERIES} deliveries are kept, and of a user no more links than they may have when one ends: the one that ended first goes first.
 */
@LoopOwned
final class LinkRegistry {

    static final int MOST_LINKS = 10_000;
    static final int MOST_DELIVERIES = 100_000;

    /** Deliveries that are kept of one link. */
    static final int MOST_DELIVERIES_OF_LINK = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(LinkRegistry.class);

    private final Broker broker;
    private final Loop home;
    private final LogLimit drops = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);
    private final Map<LinkClaim.Key, Entry> owned = new LinkedHashMap<>();
    /** In the order in which the links have ended. */
    private final Map<LinkClaim.Key, Suspended> suspended = new LinkedHashMap<>();
    /** The keys of these by user, in the same order. */
    private final Map<String, Set<LinkClaim.Key>> byUser = new HashMap<>();
    private int keptDeliveries;

    private static final class Entry {
        private LinkClaim owner;
        /** Gets the name when the owner has let go of it; may be null. */
        private LinkClaim next;
    }

    /** @param expiry null if it is kept for ever */
    private record Suspended(KeptLink kept, Loop.Timer expiry) {}

    LinkRegistry(Broker broker) {
        this.broker = broker;
        this.home = broker.home();
    }

    // ---- for links, on their loops

    /** A link wants its name; its holder is told when it has it. */
    void claim(Loop here, LinkClaim claim) {
        here.send(home, () -> claimed(claim));
    }

    /**
     * The owner of a name needs it no more.
     *
     * @param kept what is left for a link that comes back; null if there is nothing
     */
    void letGo(Loop here, LinkClaim claim, KeptLink kept) {
        here.send(home, () -> letGone(claim, kept));
    }

    /** Something that was kept as being under way has come to an outcome. */
    void outcome(Loop here, LinkClaim.Key key, KeptLink.Arrived arrived, DeliveryState outcome) {
        here.send(home, () -> came(key, arrived, outcome));
    }

    /** Nobody is to come back for what is kept of a link. */
    void forget(Loop here, LinkClaim.Key key) {
        here.send(home, () -> drop(key));
    }

    // ---- at home

    private void claimed(LinkClaim claim) {
        Entry entry = owned.get(claim.key());
        if (entry == null) {
            Entry first = new Entry();
            owned.put(claim.key(), first);
            give(first, claim, taken(claim.key()));
            return;
        }
        LinkClaim waiting = entry.next;
        entry.next = claim; // first, since what lives on this loop answers at once
        if (waiting == null) {
            tellStolen(entry.owner, true);
        } else {
            tellStolen(waiting, false);
        }
    }

    private void tellStolen(LinkClaim from, boolean granted) {
        home.send(from.loop(), () -> from.holder().stolen(granted));
    }

    private void give(Entry entry, LinkClaim claim, KeptLink kept) {
        entry.owner = claim;
        entry.next = null;
        home.send(claim.loop(), () -> claim.holder().granted(kept));
    }

    private void letGone(LinkClaim claim, KeptLink kept) {
        Entry entry = owned.get(claim.key());
        if (entry.next != null) {
            give(entry, entry.next, kept);
            return;
        }
        owned.remove(claim.key());
        if (kept != null) {
            suspend(claim.key(), claim.mostKept().get(), kept);
        }
    }

    private void came(LinkClaim.Key key, KeptLink.Arrived arrived, DeliveryState outcome) {
        Entry entry = owned.get(key);
        if (entry != null) {
            LinkClaim owner = entry.owner;
            home.send(owner.loop(), () -> owner.holder().outcome(arrived, outcome));
            return;
        }
        Suspended of = suspended.get(key);
        if (of != null && of.kept.arrived().contains(arrived)) {
            arrived.outcome(outcome);
        }
    }

    // ---- what is kept

    private void suspend(LinkClaim.Key key, long mostOfUser, KeptLink kept) {
        Loop.Timer expiry = kept.lifetimeSeconds() < 0
                ? null
                : home.schedule(TimeUnit.SECONDS.toNanos(kept.lifetimeSeconds()), () -> drop(key));
        suspended.put(key, new Suspended(kept, expiry));
        byUser.computeIfAbsent(key.user(), user -> new LinkedHashSet<>()).add(key);
        keptDeliveries += kept.deliveries();
        broker.kept(1, kept.deliveries());
        LOG.debug("link '{}' of container '{}' is kept with {} deliveries", key.name(), key.container(),
                kept.deliveries());
        while (keptOf(key.user()).size() > mostOfUser) {
            LinkClaim.Key eldest = keptOf(key.user()).iterator().next();
            tellDrop(eldest, "user '" + key.user() + "' may have " + mostOfUser + " such links");
            drop(eldest);
        }
        while (suspended.size() > MOST_LINKS || keptDeliveries > MOST_DELIVERIES) {
            LinkClaim.Key eldest = suspended.keySet().iterator().next();
            tellDrop(eldest, suspended.size() + " links with " + keptDeliveries + " deliveries are");
            drop(eldest);
        }
    }

    private Set<LinkClaim.Key> keptOf(String user) {
        return byUser.getOrDefault(user, Set.of());
    }

    private void tellDrop(LinkClaim.Key key, String why) {
        long times = drops.take(home.nanoTime());
        if (times > 0) {
            LogEvent.KEPT_LINKS_FULL.log(LOG,
                    "the deliveries of link '{}' of container '{}' are not kept any more: {}{}",
                    key.name(), key.container(), why,
                    times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)");
        }
    }

    /** How many deliveries are kept, of all links. */
    int keptDeliveries() {
        return keptDeliveries;
    }

    private KeptLink taken(LinkClaim.Key key) {
        Suspended of = suspended.remove(key);
        if (of == null) {
            return null;
        }
        byUser.computeIfPresent(key.user(), (user, keys) -> {
            keys.remove(key);
            return keys.isEmpty() ? null : keys;
        });
        if (of.expiry != null) {
            of.expiry.cancel();
        }
        keptDeliveries -= of.kept.deliveries();
        broker.kept(-1, -of.kept.deliveries());
        return of.kept;
    }

    private void drop(LinkClaim.Key key) {
        KeptLink kept = taken(key);
        if (kept != null) {
            kept.drop(home);
        }
    }
}
