package io.sluicemq.api.operate;

import java.util.List;
import java.util.Map;

/**
 * Addresses that somebody waits for, or that are full: that use 95 % of a limit or more.
 *
 * @param addresses in each virtual host those first that somebody waits for
 * @param leftOut how many more there are, by virtual host
 */
public record Pressure(List<AddressView> addresses, Map<String, Integer> leftOut) {

    public Pressure {
        addresses = List.copyOf(addresses);
        leftOut = Map.copyOf(leftOut);
    }
}
