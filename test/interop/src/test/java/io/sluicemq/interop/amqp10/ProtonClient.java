package io.sluicemq.interop.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.ClientOptions;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.exceptions.ClientException;

/** Opens connections of Qpid protonj2-client to a lab's broker, and does what every test does with them. */
final class ProtonClient {

    /** How long something that comes may take, in milliseconds. */
    static final long SOON = 10_000;

    /** How long nothing comes before it is taken for granted that there is nothing, in milliseconds. */
    static final long NEVER = 150;

    private ProtonClient() {}

    /** Logs in as the lab's user, and gives up after {@link #SOON}. */
    static ConnectionOptions options(Lab lab) {
        return new ConnectionOptions().user(lab.broker().user()).password(lab.broker().password()).openTimeout(SOON)
                .requestTimeout(SOON).sendTimeout(SOON).drainTimeout(SOON).closeTimeout(SOON);
    }

    /** A client whose connections have a container id, or, if it is null, one of its own; closed when the test is over. */
    static Client client(Lab lab, String id) {
        Client client = id == null ? Client.create() : Client.create(new ClientOptions().id(id));
        lab.closing(client::close);
        return client;
    }

    /** A connection that is open. */
    static Connection connect(Lab lab) throws Exception {
        return connect(lab, settings -> {});
    }

    /** A connection that is open, with something set otherwise. */
    static Connection connect(Lab lab, Consumer<ConnectionOptions> settings) throws Exception {
        return connect(client(lab, null), lab, settings);
    }

    /** A connection of a client, which is open. */
    static Connection connect(Client client, Lab lab, Consumer<ConnectionOptions> settings) throws Exception {
        ConnectionOptions options = options(lab);
        settings.accept(options);
        Connection connection = client.connect(lab.broker().host(), lab.broker().port(), options);
        connection.openFuture().get();
        return connection;
    }

    /** A queue that is made when it is used, and deleted when the test is over. */
    static String queue(Lab lab) {
        return lab.forget(lab.name("queue"));
    }

    /** Sends durable texts, each when the one before is accepted. */
    static void send(Sender sender, String... texts) throws ClientException {
        for (String text : texts) {
            sender.send(Message.create(text).durable(true)).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        }
    }

    /** Sends durable texts to an address by a sender of its own. */
    static void send(Connection connection, String address, String... texts) throws ClientException {
        Sender sender = connection.openSender(address);
        send(sender, texts);
        sender.close();
    }

    /** The next delivery, which must come soon. */
    static Delivery receive(Receiver receiver) throws ClientException {
        Delivery delivery = receiver.receive(SOON, TimeUnit.MILLISECONDS);
        assertThat(delivery).as("a delivery within %s ms", SOON).isNotNull();
        return delivery;
    }

    static String text(Delivery delivery) throws ClientException {
        return (String) delivery.message().body();
    }

    /** The texts of the next deliveries. */
    static List<String> texts(Receiver receiver, int count) throws ClientException {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(text(receive(receiver)));
        }
        return texts;
    }

    /** The receiver must get nothing more. */
    static void shouldBeEmpty(Receiver receiver) throws ClientException {
        assertThat(receiver.receive(NEVER, TimeUnit.MILLISECONDS)).isNull();
    }
}
