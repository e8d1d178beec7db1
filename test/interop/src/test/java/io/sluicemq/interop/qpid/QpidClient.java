package io.sluicemq.interop.qpid;

import io.sluicemq.campaign.BrokerUnderTest;
import io.sluicemq.interop.lab.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.jms.Connection;
import javax.jms.JMSException;
import org.apache.qpid.client.AMQConnection;

/** Opens connections of the Qpid client to the lab's broker; what it reports apart from calls is kept. */
public final class QpidClient {

    private QpidClient() {}

    /** A started connection with options as in a connection URL, such as {@code maxprefetch='1'}. */
    public static Connection connect(Lab lab, String... options) throws Exception {
        Connection connection = open(lab, null, options);
        connection.start();
        return connection;
    }

    /** A connection with a client id, not started. */
    public static Connection open(Lab lab, String clientId, String... options) throws Exception {
        BrokerUnderTest broker = lab.broker();
        List<String> all = new ArrayList<>(List.of(options));
        all.add("brokerlist='tcp://" + broker.host() + ":" + broker.port() + "'");
        // this client sends the whole path as the virtual host
        String url = "amqp://" + broker.user() + ":" + broker.password() + "@" + (clientId == null ? "" : clientId)
                + broker.virtualHost() + "?" + String.join("&", all);
        Connection connection = new AMQConnection(url);
        lab.closing(connection::close);
        return connection;
    }

    /** What the connection reports to its exception listener, from now on. */
    public static BlockingQueue<JMSException> problems(Connection connection) throws JMSException {
        BlockingQueue<JMSException> problems = new LinkedBlockingQueue<>();
        connection.setExceptionListener(problems::add);
        return problems;
    }
}
