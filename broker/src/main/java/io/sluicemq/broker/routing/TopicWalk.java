package io.sluicemq.broker.routing;

import java.util.Arrays;

/**
 * The work space for matching a key against a trie of patterns: which nodes the words so far lead to, word by word.
 *
 * <p>A node other than one by {@code #} is reached from its parent by one word, so at most once a level. One by {@code #} stays
 * reached for all further words, so it is enough to note it once. Hence the work is bounded by words times nodes that match,
 * whatever the patterns, and there is no way back to try another.
 *
 * <p>Belongs to one {@link RouteSet}; empty between two matches.
 */
final class TopicWalk<Q> {

    /** The words of the key. Grown as needed, reused. */
    private Word[] words = {};

    private int wordCount;

    /** Nodes that the words so far lead to, those by {@code #} not counted. */
    private TopicNode<Q>[] level = array(8);

    private int levelSize;

    /** The same, after the next word. */
    private TopicNode<Q>[] nextLevel = array(8);

    private int nextLevelSize;

    /** Nodes by {@code #} reached so far. */
    private final DistinctList<TopicNode<Q>> open = new DistinctList<>();

    private boolean matched;
    private long steps;

    /** How many nodes were looked at and queues added since this was made: the work done, for tests of its bounds. */
    long steps() {
        return steps;
    }

    /** Adds the targets of all patterns below {@code root} that match {@code key}; returns whether there was one. */
    boolean match(TopicNode<Q> root, String key, RouteSet<Q> out) {
        split(key);
        matched = false;
        enter(root, out);
        for (int i = 0; i < wordCount; i++) {
            advance();
            if (levelSize == 0 && open.size() == 0) {
                break;
            }
            Word word = words[i];
            // Nodes that become open at this word are for the words after it.
            int openBefore = open.size();
            for (int n = 0; n < levelSize; n++) {
                step(level[n], word, out);
            }
            for (int n = 0; n < openBefore; n++) {
                step(open.get(n), word, out);
            }
        }
        for (int n = 0; n < nextLevelSize; n++) {
            take(nextLevel[n].targets, out);
        }
        clear();
        return matched;
    }

    private void step(TopicNode<Q> node, Word word, RouteSet<Q> out) {
        steps++;
        TopicNode<Q> child = node.child(word);
        if (child != null) {
            enter(child, out);
        }
        if (node.star != null) {
            enter(node.star, out);
        }
    }

    private void enter(TopicNode<Q> node, RouteSet<Q> out) {
        steps++;
        if (nextLevelSize == nextLevel.length) {
            nextLevel = Arrays.copyOf(nextLevel, 2 * nextLevelSize);
        }
        nextLevel[nextLevelSize++] = node;
        if (node.hash != null) {
            open(node.hash, out);
        }
    }

    /** What a {@code #} leads to matches whatever follows. */
    private void open(TopicNode<Q> node, RouteSet<Q> out) {
        steps++;
        if (open.add(node)) {
            take(node.targets, out);
        }
    }

    private void take(Targets<Q> targets, RouteSet<Q> out) {
        if (!targets.isEmpty()) {
            matched = true;
            steps += targets.queues.size();
            out.addAll(targets);
        }
    }

    private void advance() {
        TopicNode<Q>[] done = level;
        int doneSize = levelSize;
        level = nextLevel;
        levelSize = nextLevelSize;
        nextLevel = done;
        nextLevelSize = 0;
        Arrays.fill(done, 0, doneSize, null);
    }

    private void clear() {
        Arrays.fill(level, 0, levelSize, null);
        Arrays.fill(nextLevel, 0, nextLevelSize, null);
        levelSize = 0;
        nextLevelSize = 0;
        open.clear();
        for (int i = 0; i < wordCount; i++) {
            words[i].clear();
        }
        wordCount = 0;
    }

    private void split(String key) {
        if (key.isEmpty()) {
            return;
        }
        int start = 0;
        while (start <= key.length()) {
            int dot = key.indexOf('.', start);
            int end = dot < 0 ? key.length() : dot;
            if (wordCount == words.length) {
                words = Arrays.copyOf(words, Math.max(8, 2 * wordCount));
            }
            if (words[wordCount] == null) {
                words[wordCount] = new Word();
            }
            words[wordCount++].set(key, start, end);
            start = end + 1;
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // generic array; only TopicNode<Q> gets in
    private static <Q> TopicNode<Q>[] array(int length) {
        return new TopicNode[length];
    }
}
