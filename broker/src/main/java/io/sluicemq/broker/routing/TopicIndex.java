package io.sluicemq.broker.routing;

import java.util.ArrayList;
import java.util.List;

/**
 * The bindings of a topic exchange, in a trie of the words of their patterns.
 *
 * <p>Words are what dots separate, and may be empty: {@code a..b} has three. The empty key has no word at all, so that
 * {@code #} matches it and {@code *} does not. In a pattern {@code *} stands for one word and {@code #} for any number of words,
 * none included (0-9-1 §3.1.3.3).
 */
final class TopicIndex<Q> implements BindingIndex<Q> {

    private static final TopicIndex<?> EMPTY = new TopicIndex<>(TopicNode.empty());

    private final TopicNode<Q> root;

    private TopicIndex(TopicNode<Q> root) {
        this.root = root;
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <Q> TopicIndex<Q> empty() {
        return (TopicIndex<Q>) EMPTY;
    }

    @Override
    public TopicIndex<Q> with(Binding binding, Q queue) {
        List<String> pattern = patternOf(binding.routingKey());
        List<TopicNode<Q>> path = path(pattern);
        TopicNode<Q> end = path.getLast();
        return new TopicIndex<>(rebuilt(pattern, path, end.withTargets(end.targets.with(binding, queue))));
    }

    @Override
    public TopicIndex<Q> without(Binding binding, Q queue) {
        List<String> pattern = patternOf(binding.routingKey());
        List<TopicNode<Q>> path = path(pattern);
        TopicNode<Q> end = path.getLast();
        return new TopicIndex<>(rebuilt(pattern, path, end.withTargets(end.targets.without(binding, queue))));
    }

    @Override
    public boolean match(String routingKey, HeaderSource headers, RouteSet<Q> out) {
        return out.topicWalk().match(root, routingKey, out);
    }

    /** The nodes from the root along the pattern, one more than it has words; empty ones where it leaves the trie. */
    private List<TopicNode<Q>> path(List<String> pattern) {
        List<TopicNode<Q>> path = new ArrayList<>(pattern.size() + 1);
        path.add(root);
        for (String word : pattern) {
            path.add(path.getLast().step(word));
        }
        return path;
    }

    /** The root after the last node of the path became {@code end}. */
    private static <Q> TopicNode<Q> rebuilt(List<String> pattern, List<TopicNode<Q>> path, TopicNode<Q> end) {
        TopicNode<Q> child = end;
        for (int i = pattern.size() - 1; i >= 0; i--) {
            child = path.get(i).withStep(pattern.get(i), child);
        }
        return child;
    }

    /** The words of a pattern, with each run of {@code #} made one, which means the same. */
    private static List<String> patternOf(String key) {
        List<String> words = new ArrayList<>();
        if (key.isEmpty()) {
            return words;
        }
        int start = 0;
        while (start <= key.length()) {
            int dot = key.indexOf('.', start);
            int end = dot < 0 ? key.length() : dot;
            String word = key.substring(start, end);
            if (!(word.equals("#") && !words.isEmpty() && words.getLast().equals("#"))) {
                words.add(word);
            }
            start = end + 1;
        }
        return words;
    }
}
