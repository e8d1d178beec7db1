package io.sluicemq.cli.admin;

import io.sluicemq.broker.engine.Shortage;
import io.sluicemq.broker.flow.AddressState;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Addresses as a broker has told them.
 *
 * @param leftOff how many more there are than an answer may have
 * @param shortage what every publish waits for; null if that is nothing
 */
record AddressAnswer(List<AddressState> addresses, int leftOff, Shortage shortage) {

    static AddressAnswer of(JsonNode answer) {
        return BrokerQuestion.JSON.treeToValue(answer, AddressAnswer.class);
    }
}
