package io.sluicemq.broker.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules about consumers by the topics that their queues are bound to: the first whose key covers one of a queue's binding keys holds.
 * A key covers a binding's if every topic that the latter matches is matched by it, too. Words are those of topic exchanges: {@code *}
 * is one, {@code #} any number, and a word may be empty (0-9-1 §3.1.3.3). Immutable; any thread may ask.
 */
public final class TopicRules {

    public static final TopicRules NONE = new TopicRules(List.of());

    /** {@link #firstCovering}: nothing is said about that key. */
    public static final int NO_RULE = -1;

    private static final String ANY_WORD = "*";
    private static final String ANY_WORDS = "#";

    /** Stands for all words that a pattern does not spell out. */
    private static final String OTHER = "\u0000";

    /** Clients choose the keys of their bindings, so a comparison has an end: what is not decided then is not covered. */
    private static final int MOST_STEPS = 4096;

    /** What holds for consumers of queues whose bindings a key covers. */
    public record TopicRule(String key, ConsumerRule consumer) {}

    private final List<TopicRule> rules;

    public TopicRules(List<TopicRule> rules) {
        this.rules = List.copyOf(rules);
    }

    public List<TopicRule> rules() {
        return rules;
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** What holds for consumers of a queue that is bound to topic exchanges by these keys; null if nothing is said. */
    public ConsumerRule of(Collection<String> bindingKeys) {
        int first = bindingKeys.stream()
                .mapToInt(this::firstCovering)
                .filter(rule -> rule != NO_RULE)
                .min()
                .orElse(NO_RULE);
        return first == NO_RULE ? null : rules.get(first).consumer();
    }

    /** The place in the list of the first rule that covers a binding's key; {@link #NO_RULE} if none does. */
    public int firstCovering(String bindingKey) {
        for (int i = 0; i < rules.size(); i++) {
            if (covers(rules.get(i).key(), bindingKey)) {
                return i;
            }
        }
        return NO_RULE;
    }

    /** Whether all topics that {@code key} matches are matched by {@code pattern}. */
    public static boolean covers(String pattern, String key) {
        String[] wide = words(pattern);
        String[] narrow = words(key);
        Set<String> spelled = new LinkedHashSet<>(List.of(wide));
        spelled.remove(ANY_WORD);
        spelled.remove(ANY_WORDS);
        List<String> all = new ArrayList<>(spelled);
        all.add(OTHER);
        // Both are walked at once: how far the key is, and all places where the pattern may be then.
        record Step(int at, BitSet places) {}
        ArrayDeque<Step> open = new ArrayDeque<>();
        Set<Step> seen = new HashSet<>();
        BitSet begin = new BitSet();
        reach(wide, 0, begin);
        open.add(new Step(0, begin));
        while (!open.isEmpty()) {
            Step step = open.poll();
            if (!seen.add(step)) {
                continue;
            }
            if (seen.size() > MOST_STEPS) {
                return false;
            }
            if (step.at == narrow.length) {
                if (!step.places.get(wide.length)) {
                    return false;
                }
                continue;
            }
            String word = narrow[step.at];
            if (word.equals(ANY_WORDS)) {
                open.add(new Step(step.at + 1, step.places));
                for (String each : all) {
                    open.add(new Step(step.at, after(wide, step.places, each)));
                }
            } else if (word.equals(ANY_WORD)) {
                for (String each : all) {
                    open.add(new Step(step.at + 1, after(wide, step.places, each)));
                }
            } else {
                open.add(new Step(step.at + 1, after(wide, step.places, word)));
            }
        }
        return true;
    }

    private static BitSet after(String[] pattern, BitSet places, String word) {
        BitSet next = new BitSet();
        for (int at = places.nextSetBit(0); at >= 0 && at < pattern.length; at = places.nextSetBit(at + 1)) {
            if (pattern[at].equals(ANY_WORDS)) {
                reach(pattern, at, next);
            } else if (pattern[at].equals(ANY_WORD) || pattern[at].equals(word)) {
                reach(pattern, at + 1, next);
            }
        }
        return next;
    }

    /** Adds a place, and those behind each {@code #} there, which may stand for no word. */
    private static void reach(String[] pattern, int from, BitSet places) {
        int at = from;
        places.set(at);
        while (at < pattern.length && pattern[at].equals(ANY_WORDS)) {
            places.set(++at);
        }
    }

    private static String[] words(String key) {
        return key.isEmpty() ? new String[0] : key.split("\\.", -1);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TopicRules topics && rules.equals(topics.rules);
    }

    @Override
    public int hashCode() {
        return rules.hashCode();
    }

    @Override
    public String toString() {
        return "TopicRules" + rules;
    }
}
