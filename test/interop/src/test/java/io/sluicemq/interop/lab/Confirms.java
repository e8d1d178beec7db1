package io.sluicemq.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The confirms of a channel, each tag by itself. The client's thread fills it, the test's empties it; a tag confirmed twice,
 * or before it was published, is an error at once.
 */
public final class Confirms {

    private final Channel channel;
    private final BlockingQueue<Long> acked = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> nacked = new LinkedBlockingQueue<>();
    private final List<Long> open = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private long known;

    private Confirms(Channel channel) {
        this.channel = channel;
    }

    /** Puts a channel into confirm mode. */
    public static Confirms on(Channel channel) throws IOException {
        channel.confirmSelect();
        Confirms confirms = new Confirms(channel);
        channel.addConfirmListener((tag, multiple) -> confirms.settle(tag, multiple, confirms.acked),
                (tag, multiple) -> confirms.settle(tag, multiple, confirms.nacked));
        return confirms;
    }

    private synchronized void settle(long tag, boolean multiple, BlockingQueue<Long> outcome) {
        long published = channel.getNextPublishSeqNo() - 1;
        while (known < published) {
            open.add(++known);
        }
        List<Long> settled = open.stream().filter(each -> multiple ? each <= tag : each == tag).toList();
        if (settled.isEmpty() || tag > published) {
            faults.add(
                    "confirm of tag " + tag + (multiple ? " and before" : "") + " with " + published + " published and "
                            + open + " open");
        }
        open.removeAll(settled);
        outcome.addAll(settled);
    }

    /** The next tags acknowledged, waited for. */
    public List<Long> acked(int count) throws InterruptedException {
        return take(acked, count);
    }

    /** The next tags refused, waited for. */
    public List<Long> nacked(int count) throws InterruptedException {
        return take(nacked, count);
    }

    /** How many acknowledged tags were not asked for yet. */
    public int ackedCount() {
        return acked.size();
    }

    /** How many refused tags were not asked for yet. */
    public int nackedCount() {
        return nacked.size();
    }

    private List<Long> take(BlockingQueue<Long> from, int count) throws InterruptedException {
        List<Long> tags = new ArrayList<>();
        while (tags.size() < count) {
            Long tag = from.poll(5, TimeUnit.SECONDS);
            assertThat(tag).as("confirm within 5 s after %s, acked %s, nacked %s", tags, acked, nacked).isNotNull();
            tags.add(tag);
        }
        synchronized (this) {
            assertThat(faults).isEmpty();
        }
        return tags;
    }
}
