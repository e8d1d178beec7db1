package io.sluicemq.protocol.amqp10.message;

import java.util.ArrayList;
import java.util.List;

/** Lists and arrays of strings, such as routing keys, read where they lie. Pure. */
final class Texts {

    private Texts() {}

    /** Whether there is a list or an array of nothing but strings or symbols. */
    static boolean isAt(byte[] bytes, int at) {
        int code = Encoded.code(bytes, at);
        if (TypeCode.isArray(code)) {
            return isText(Encoded.code(bytes, Encoded.firstItem(bytes, at)));
        }
        if (!TypeCode.isList(code)) {
            return false;
        }
        int item = Encoded.firstItem(bytes, at);
        for (int left = Encoded.items(bytes, at); left > 0; left--) {
            if (!isText(Encoded.code(bytes, item))) {
                return false;
            }
            item = Encoded.end(bytes, item);
        }
        return true;
    }

    private static boolean isText(int code) {
        return TypeCode.isString(code) || TypeCode.isSymbol(code);
    }

    /** The texts of what {@link #isAt is there}; accessed by index. */
    static List<String> at(byte[] bytes, int at) {
        boolean array = TypeCode.isArray(Encoded.code(bytes, at));
        int item = Encoded.firstItem(bytes, at);
        int code = array ? Encoded.code(bytes, item++) : 0;
        List<String> texts = new ArrayList<>();
        for (int left = Encoded.items(bytes, at); left > 0; left--) {
            texts.add(array ? Encoded.text(bytes, item, code) : Encoded.text(bytes, item));
            item = array ? Encoded.end(bytes, item, code) : Encoded.end(bytes, item);
        }
        return List.copyOf(texts);
    }
}
