package io.sluicemq.cli.admin;

import io.sluicemq.broker.flow.AddressState;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Addresses as a broker has told them.
 *
 * @param leftOff how many more there are than an answer may have
 */
record AddressAnswer(List<AddressState> addresses, int leftOff) {

    static AddressAnswer of(JsonNode answer) {
        return BrokerQuestion.JSON.treeToValue(answer, AddressAnswer.class);
    }
}
