package io.sluicemq.server.config;

import io.sluicemq.base.option.OptionType;
import java.nio.charset.StandardCharsets;

/** What things are called. */
final class Names {

    static final int MAX_NAME_BYTES = 255;

    static final OptionType<String> NAME = OptionType.STRING.where(
            "a name of 1 to 255 bytes without control characters",
            name -> !name.isEmpty()
                    && name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES
                    && name.chars().noneMatch(Character::isISOControl));

    private Names() {}
}
