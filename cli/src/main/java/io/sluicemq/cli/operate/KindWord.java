package io.sluicemq.cli.operate;

import java.util.Arrays;
import java.util.Iterator;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the word for a kind of things, and offers those there are. Stateless. */
final class KindWord implements ITypeConverter<Kind>, Iterable<String> {

    @Override
    public Kind convert(String word) {
        return Kind.called(word).orElseThrow(() -> new TypeConversionException(
                "there are no '" + word + "': expected one of "
                        + Arrays.stream(Kind.values()).map(Kind::many).collect(Collectors.joining(", "))));
    }

    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(Kind.values()).map(Kind::many).iterator();
    }
}
