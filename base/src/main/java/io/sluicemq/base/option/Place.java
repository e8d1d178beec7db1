package io.sluicemq.base.option;

/**
 * Where a value was written.
 *
 * @param source a file's name, or words such as {@code command line}
 * @param line counted from 1; 0 if the source has no lines
 * @param column counted from 1; 0 if the source has no lines
 */
public record Place(String source, int line, int column) {

    /** A place without lines. */
    public static Place of(String source) {
        return new Place(source, 0, 0);
    }

    /** {@code sluicemq.yaml:7:11}, as editors and terminals understand it. */
    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line + ":" + column;
    }
}
