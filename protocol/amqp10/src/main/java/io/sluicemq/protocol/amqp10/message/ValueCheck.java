package io.sluicemq.protocol.amqp10.message;

/**
 * Finds out whether bytes of a stranger are values of the type system (part 1): every size and count has to fit what is there,
 * constructors have to exist, and nothing nests deeper than {@link #MAX_DEPTH}. Reads each byte at most once, makes no objects
 * unless it refuses. Used by one thread; {@link #begin} starts a message.
 *
 * <p>Texts are not decoded: one that is not UTF-8 is a value still, and passed on as it is.
 */
final class ValueCheck {

    /** How deep lists, maps, arrays and described values may nest. */
    static final int MAX_DEPTH = 64;

    /**
     * How many elements of arrays may take no bytes at all (as nulls do) in a message: they cost nothing to send, but memory to
     * whoever reads them.
     */
    static final int MAX_EMPTY_ELEMENTS = 4096;

    private byte[] bytes;
    private int limit;
    private int emptyElements;

    /** Starts the check of a message whose bytes end at {@code end}. */
    void begin(byte[] message, int end) {
        bytes = message;
        limit = end;
        emptyElements = 0;
    }

    /** Where the value at {@code at} ends, which has been looked at with all that is in it. */
    int end(int at) throws MessageFault {
        return end(at, limit, 0);
    }

    /** Where an item at {@code at} of a list or map ends that ends itself at {@code end}. */
    int itemEnd(int at, int end) throws MessageFault {
        return end(at, end, 1);
    }

    private int end(int at, int end, int depth) throws MessageFault {
        require(at, 1, end);
        int code = bytes[at] & 0xFF;
        if (code == TypeCode.DESCRIBED) {
            checkDepth(depth + 1);
            return end(end(at + 1, end, depth + 1), end, depth + 1);
        }
        return bodyEnd(at + 1, code, end, depth);
    }

    /** Where the value ends that begins, behind its constructor, at {@code at}. */
    private int bodyEnd(int at, int code, int end, int depth) throws MessageFault {
        int width = TypeCode.width(code);
        if (width >= 0) {
            require(at, width, end);
            return at + width;
        }
        if (width == TypeCode.UNKNOWN) {
            throw new MessageFault("there is no type 0x" + Integer.toHexString(code));
        }
        int valueEnd = sizedEnd(at, -width, end);
        switch (code) {
            case TypeCode.LIST_8, TypeCode.LIST_32, TypeCode.MAP_8, TypeCode.MAP_32 ->
                checkItems(at - width, -width, code, valueEnd, depth + 1);
            case TypeCode.ARRAY_8, TypeCode.ARRAY_32 -> checkArray(at - width, -width, valueEnd, depth + 1);
            default -> { /* nothing is in it */ }
        }
        return valueEnd;
    }

    private int sizedEnd(int at, int sizeWidth, int end) throws MessageFault {
        require(at, sizeWidth, end);
        int size = sizeWidth == 1 ? bytes[at] & 0xFF : Encoded.intAt(bytes, at);
        int from = at + sizeWidth;
        if (size < 0 || size > end - from) {
            throw new MessageFault("a size of " + Integer.toUnsignedString(size) + " is more than there is");
        }
        return from + size;
    }

    /** The count of a list, map or array, whose size is checked. */
    private int count(int at, int width, int end) throws MessageFault {
        require(at, width, end);
        int count = width == 1 ? bytes[at] & 0xFF : Encoded.intAt(bytes, at);
        if (count < 0) {
            throw new MessageFault(Integer.toUnsignedString(count) + " items are more than there can be");
        }
        return count;
    }

    private void checkItems(int at, int width, int code, int end, int depth) throws MessageFault {
        checkDepth(depth);
        int count = count(at, width, end);
        if (TypeCode.isMap(code) && (count & 1) != 0) {
            throw new MessageFault("a map has a key without a value");
        }
        int next = at + width;
        for (int i = 0; i < count; i++) {
            next = end(next, end, depth);
        }
        checkEnd(next, end);
    }

    private void checkArray(int at, int width, int end, int depth) throws MessageFault {
        checkDepth(depth);
        int count = count(at, width, end);
        int constructor = at + width;
        require(constructor, 1, end);
        int nesting = depth;
        while (bytes[constructor] == TypeCode.DESCRIBED) {
            checkDepth(++nesting);
            constructor = end(constructor + 1, end, nesting);
            require(constructor, 1, end);
        }
        int code = bytes[constructor] & 0xFF;
        int elements = constructor + 1;
        int elementWidth = TypeCode.width(code);
        if (elementWidth == 0) {
            emptyElements += Math.min(count, MAX_EMPTY_ELEMENTS + 1);
            if (emptyElements > MAX_EMPTY_ELEMENTS) {
                throw new MessageFault("more than " + MAX_EMPTY_ELEMENTS + " array elements take no bytes");
            }
            checkEnd(elements, end);
        } else if (elementWidth > 0) {
            if ((long) count * elementWidth != end - elements) {
                throw new MessageFault("an array has not the size of its elements");
            }
        } else {
            int next = elements;
            for (int i = 0; i < count; i++) {
                next = bodyEnd(next, code, end, nesting);
            }
            if (count == 0 && elementWidth == TypeCode.UNKNOWN) {
                throw new MessageFault("there is no type 0x" + Integer.toHexString(code));
            }
            checkEnd(next, end);
        }
    }

    private static void checkEnd(int at, int end) throws MessageFault {
        if (at != end) {
            throw new MessageFault("the items of a list, map or array do not fill its size");
        }
    }

    private static void checkDepth(int depth) throws MessageFault {
        if (depth > MAX_DEPTH) {
            throw new MessageFault("values nest deeper than " + MAX_DEPTH);
        }
    }

    private static void require(int at, int length, int end) throws MessageFault {
        if (end - at < length) {
            throw new MessageFault("the message ends in the middle of a value");
        }
    }

    // ---- sections

    /** The code of the section at {@code at}; its value follows at {@link #sectionValue}. */
    int section(int at) throws MessageFault {
        require(at, 2, limit);
        if (bytes[at] != TypeCode.DESCRIBED) {
            throw new MessageFault("a message consists of sections, and this is none");
        }
        int code = bytes[at + 1] & 0xFF;
        long section = -1;
        if (code == TypeCode.SMALL_ULONG || code == TypeCode.ULONG) {
            end(at + 1, limit, 1);
            section = Encoded.integer(bytes, at + 1);
        } else if (TypeCode.isSymbol(code)) {
            int end = end(at + 1, limit, 1);
            section = Section.codeOf(bytes, Encoded.content(bytes, at + 1), end);
        }
        if (!Section.isSection(section)) {
            throw new MessageFault("there is no such section of a message");
        }
        return (int) section;
    }

    /** Where the value of the section at {@code at}, whose descriptor is checked, begins. */
    int sectionValue(int at) {
        return Encoded.end(bytes, at + 1);
    }

    /** Checks the frame of a list or map, but nothing in it: that it ends in time and cannot have more items than bytes. */
    int outerEnd(int at, boolean map) throws MessageFault {
        require(at, 1, limit);
        int code = bytes[at] & 0xFF;
        if (map ? !TypeCode.isMap(code) : !TypeCode.isList(code)) {
            throw new MessageFault("a section is not the " + (map ? "map" : "list") + " that it has to be");
        }
        if (code == TypeCode.LIST_0) {
            return at + 1;
        }
        int width = -TypeCode.width(code);
        int end = sizedEnd(at + 1, width, limit);
        int count = count(at + 1 + width, width, end);
        if (map && (count & 1) != 0) {
            throw new MessageFault("a map has a key without a value");
        }
        return end;
    }

    /** That the items of a list or map were as long as it is. */
    void filled(int at, int end) throws MessageFault {
        checkEnd(at, end);
    }

    /** Checks that a data section's value at {@code at} is binary; returns its end. */
    int binaryEnd(int at) throws MessageFault {
        require(at, 1, limit);
        if (!TypeCode.isBinary(bytes[at] & 0xFF)) {
            throw new MessageFault("a data section is not binary");
        }
        return end(at);
    }

    /** Checks that there is a list with all that is in it; returns its end. */
    int listEnd(int at) throws MessageFault {
        require(at, 1, limit);
        if (!TypeCode.isList(bytes[at] & 0xFF)) {
            throw new MessageFault("an amqp-sequence section is not a list");
        }
        return end(at);
    }
}
