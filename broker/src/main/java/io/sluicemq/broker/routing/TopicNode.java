package io.sluicemq.broker.routing;

import io.vavr.collection.HashMap;
import java.util.Arrays;

/**
 * A node of the trie of topic patterns: the edge to a child is a word, {@code *} or {@code #}. Immutable; a change copies the
 * nodes from the root to the one it is about.
 *
 * <p>A child by {@code #} has no child by {@code #} itself, since patterns are stored with runs of it made one.
 */
final class TopicNode<Q> {

    /** Children by words up to this number are in an array and looked at one by one. */
    static final int FEW = 8;

    private static final Word[] NO_WORDS = {};

    /** The root of a trie without patterns, and what a new child starts from. */
    private static final TopicNode<?> EMPTY = new TopicNode<>(Targets.none(), NO_WORDS, null, null, null, null);

    /** Where the patterns that end here lead. */
    final Targets<Q> targets;

    /** The child by {@code *}, or null. */
    final TopicNode<Q> star;

    /** The child by {@code #}, or null. */
    final TopicNode<Q> hash;

    /** The words to the few children, in the order of {@link #nodes}; null if there are many. */
    private final Word[] words;

    private final TopicNode<Q>[] nodes;

    /** The many children by words, null if there are few. */
    private final HashMap<Word, TopicNode<Q>> map;

    private TopicNode(
            Targets<Q> targets,
            Word[] words,
            TopicNode<Q>[] nodes,
            HashMap<Word, TopicNode<Q>> map,
            TopicNode<Q> star,
            TopicNode<Q> hash) {
        this.targets = targets;
        this.words = words;
        this.nodes = nodes;
        this.map = map;
        this.star = star;
        this.hash = hash;
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <Q> TopicNode<Q> empty() {
        return (TopicNode<Q>) EMPTY;
    }

    /** The child by a word that is neither {@code *} nor {@code #}, or null. */
    TopicNode<Q> child(Word word) {
        if (words == null) {
            return map.getOrElse(word, null);
        }
        for (int i = 0; i < words.length; i++) {
            if (words[i].equals(word)) {
                return nodes[i];
            }
        }
        return null;
    }

    /** Whether no pattern ends here and none goes on from here. */
    private boolean isUseless() {
        return targets.isEmpty() && words != null && words.length == 0 && star == null && hash == null;
    }

    /** The child that a word of a pattern leads to; an empty one if there is none. */
    TopicNode<Q> step(String word) {
        TopicNode<Q> next = switch (word) {
            case "*" -> star;
            case "#" -> hash;
            default -> child(Word.of(word));
        };
        return next != null ? next : empty();
    }

    TopicNode<Q> withTargets(Targets<Q> changed) {
        return new TopicNode<>(changed, words, nodes, map, star, hash);
    }

    /** This node with {@code child} as what a word of a pattern leads to; a useless one is left out. */
    TopicNode<Q> withStep(String word, TopicNode<Q> child) {
        TopicNode<Q> kept = child.isUseless() ? null : child;
        return switch (word) {
            case "*" -> new TopicNode<>(targets, words, nodes, map, kept, hash);
            case "#" -> new TopicNode<>(targets, words, nodes, map, star, kept);
            default -> kept == null ? withoutChild(Word.of(word)) : withChild(Word.of(word), kept);
        };
    }

    private TopicNode<Q> withChild(Word word, TopicNode<Q> child) {
        if (words == null) {
            return many(map.put(word, child));
        }
        int at = indexOf(word);
        if (at >= 0) {
            TopicNode<Q>[] changed = nodes.clone();
            changed[at] = child;
            return few(words, changed);
        }
        if (words.length == FEW) {
            HashMap<Word, TopicNode<Q>> all = HashMap.empty();
            for (int i = 0; i < words.length; i++) {
                all = all.put(words[i], nodes[i]);
            }
            return many(all.put(word, child));
        }
        Word[] moreWords = Arrays.copyOf(words, words.length + 1);
        moreWords[words.length] = word;
        TopicNode<Q>[] moreNodes = nodes == null ? array(1) : Arrays.copyOf(nodes, words.length + 1);
        moreNodes[words.length] = child;
        return few(moreWords, moreNodes);
    }

    private TopicNode<Q> withoutChild(Word word) {
        if (words == null) {
            HashMap<Word, TopicNode<Q>> rest = map.remove(word);
            if (rest.size() > FEW / 2) {
                return many(rest);
            }
            // Not at the size at which the map was made, lest one child coming and going rebuild it each time.
            Word[] restWords = new Word[rest.size()];
            TopicNode<Q>[] restNodes = array(rest.size());
            int i = 0;
            for (var entry : rest) {
                restWords[i] = entry._1();
                restNodes[i++] = entry._2();
            }
            return few(restWords, restNodes);
        }
        int at = indexOf(word);
        if (at < 0) {
            return this;
        }
        int last = words.length - 1;
        if (last == 0) {
            return few(NO_WORDS, null);
        }
        Word[] fewerWords = Arrays.copyOf(words, last);
        TopicNode<Q>[] fewerNodes = Arrays.copyOf(nodes, last);
        if (at < last) {
            fewerWords[at] = words[last];
            fewerNodes[at] = nodes[last];
        }
        return few(fewerWords, fewerNodes);
    }

    private int indexOf(Word word) {
        for (int i = 0; i < words.length; i++) {
            if (words[i].equals(word)) {
                return i;
            }
        }
        return -1;
    }

    private TopicNode<Q> few(Word[] changedWords, TopicNode<Q>[] changedNodes) {
        return new TopicNode<>(targets, changedWords, changedNodes, null, star, hash);
    }

    private TopicNode<Q> many(HashMap<Word, TopicNode<Q>> changed) {
        return new TopicNode<>(targets, null, null, changed, star, hash);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // generic array; only TopicNode<Q> gets in
    private static <Q> TopicNode<Q>[] array(int length) {
        return new TopicNode[length];
    }
}
