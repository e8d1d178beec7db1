package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

/** Addresses of all kinds of characters. */
class AddressProperties {

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static boolean isText(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    @Property
    void shouldReadBackWhatIsPercentEncoded(
            @ForAll @StringLength(min = 1, max = 60) String name, @ForAll @StringLength(max = 60) String key) {
        Assume.that(isText(name) && isText(key));
        assertThat(Address.parse("/queues/" + encoded(name), NodeKind.ANY)).isEqualTo(new Address.Queue(name, false));
        assertThat(Address.parse("/exchanges/" + encoded(name) + "/" + encoded(key), NodeKind.ANY))
                .isEqualTo(new Address.Exchange(name, key, true));
    }

    @Property
    void shouldReadAnythingAsSomething(
            @ForAll @Chars({'/', '%', 'q', '2', 'F', ':', 'ü'}) @StringLength(max = 12) String rest,
            @ForAll NodeKind kind) {
        for (String start : new String[] {"", "/queues/", "/exchanges/", "/exchange/", "/queue/", "/topic/",
            "queue://"}) {
            Address address = Address.parse(start + rest, kind);
            assertThat(address).isNotNull();
            if (address instanceof Address.Queue queue) {
                assertThat(queue.name()).isNotEmpty();
            }
        }
    }

    @Property
    void shouldTakeAPlainNameAsItStands(@ForAll @StringLength(min = 1, max = 60) String name) {
        Assume.that(!name.startsWith("/") && !name.startsWith("queue://") && !name.startsWith("topic://"));
        assertThat(Address.parse(name, NodeKind.ANY)).isEqualTo(new Address.Name(name));
        assertThat(Address.parse(name, NodeKind.QUEUE)).isEqualTo(new Address.Queue(name, true));
        assertThat(Address.parse(name, NodeKind.TOPIC)).isEqualTo(new Address.Topic(name, false));
    }
}
