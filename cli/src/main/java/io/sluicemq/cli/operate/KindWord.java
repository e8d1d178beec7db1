package io.sluicemq.cli.operate;

import io.sluicemq.base.option.Nearest;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the word for a kind of things, and offers those there are. Stateless. */
final class KindWord implements ITypeConverter<Kind>, Iterable<String> {

    @Override
    public Kind convert(String word) {
        List<String> known = Arrays.stream(Kind.values()).map(Kind::many).toList();
        return Kind.called(word).orElseThrow(() -> new TypeConversionException(
                "there are no '" + word + "': expected one of " + String.join(", ", known)
                        + Nearest.of(word, known)
                                .map(nearest -> ", did you mean " + nearest + "?")
                                .orElse("; of one thing the kind comes first, such as 'sluicemq get queue " + word
                                        + "'")));
    }

    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(Kind.values()).map(Kind::many).iterator();
    }
}
