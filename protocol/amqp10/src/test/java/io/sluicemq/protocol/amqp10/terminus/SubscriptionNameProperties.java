package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

/** The names of subscriptions' queues. */
class SubscriptionNameProperties {

    @Property
    void shouldNameNoTwoSubscriptionsAlike(
            @ForAll @Chars({':', '%', '2', '5', 'a'}) @StringLength(max = 4) String container,
            @ForAll @Chars({':', '%', '2', '5', 'a'}) @StringLength(max = 4) String name,
            @ForAll @Chars({':', '%', '2', '5', 'a'}) @StringLength(max = 4) String otherContainer,
            @ForAll @Chars({':', '%', '2', '5', 'a'}) @StringLength(max = 4) String otherName) {
        boolean same = container.equals(otherContainer) && name.equals(otherName);
        assertThat(
                SubscriptionName.durable(container, name).equals(SubscriptionName.durable(otherContainer, otherName)))
                .isEqualTo(same);
        assertThat(SubscriptionName.durable(container, name)).isNotEqualTo(SubscriptionName.durable(null, otherName));
    }
}
