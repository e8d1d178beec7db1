package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.operate.AddressView;
import io.sluicemq.api.operate.ConsumerView;
import io.sluicemq.api.operate.ExchangeView;
import io.sluicemq.api.operate.LimitsView;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.ShortageView;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.Queue.ConsumerSample;
import io.sluicemq.broker.queue.QueueConsumer;
import io.sluicemq.broker.queue.QueueFigures;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.Exchange;
import java.util.Locale;

/** Says in operators' terms what the broker has. Stateless; what is about a queue's numbers runs on its loop. */
final class OperatorViews {

    private OperatorViews() {}

    static ExchangeView exchange(String virtualHost, Exchange<QueueProxy> exchange) {
        var spec = exchange.spec();
        return new ExchangeView(
                virtualHost,
                new ExchangeSpec(
                        spec.name(), spec.type().label(), spec.durable(), spec.autoDelete(), spec.internal(),
                        spec.arguments().asMap()),
                exchange.bindingCount());
    }

    static BindingSpec binding(Binding binding) {
        return new BindingSpec(
                binding.source(), binding.destination(), binding.kind() == Binding.Kind.EXCHANGE, binding.routingKey(),
                binding.arguments().asMap());
    }

    static QueueFacts facts(String virtualHost, QueueProxy proxy) {
        Queue queue = proxy.queue();
        return new QueueFacts(
                virtualHost, queue.spec(), queue.owner() == null ? "" : queue.owner().toString(),
                queue.loop().index());
    }

    static QueueView view(QueueFacts facts, Queue queue) {
        QueueFigures figures = queue.figures();
        Account account = queue.account();
        return new QueueView(
                facts, figures.readyMessages(), figures.readyBytes(), figures.unsettledMessages(),
                figures.unsettledBytes(), figures.delayedMessages(), figures.delayedBytes(),
                figures.residentMessages(), figures.residentBytes(), figures.consumers(), figures.oldestMillis(),
                figures.paused(), account.usedBytes(), account.usedMessages(), limits(account.limits()),
                account.droppedMessages(), account.refusedMessages(),
                account.isWaited() ? account.gate().tickets().size() : 0, figures.rates());
    }

    static LimitsView limits(AddressLimits limits) {
        return new LimitsView(
                limits.policy().name().toLowerCase(Locale.ROOT), limits.maxBytes(), limits.maxMessages(),
                limits.pageLimitBytes());
    }

    /** Whether there is no limit at all. */
    static boolean isUnlimited(AddressLimits limits) {
        return limits.maxBytes() == AddressLimits.NONE && limits.maxMessages() == AddressLimits.NONE
                && limits.pageLimitBytes() == AddressLimits.NONE;
    }

    static ConsumerView consumer(QueueFacts queue, ConsumerSample sample) {
        QueueConsumer consumer = (QueueConsumer) sample.identity();
        var spec = consumer.spec();
        String user = consumer.client() instanceof ConnectedClient client ? client.user() : "";
        return new ConsumerView(
                queue.virtualHost(), queue.name(), sample.connection(), user, spec.tag(), spec.settled(),
                spec.browses(), spec.exclusive(), spec.priority(), spec.prefetch(),
                spec.credit().name().toLowerCase(Locale.ROOT), sample.unsettledMessages(), sample.settledMessages(),
                sample.slowMillis());
    }

    static AddressView address(AddressState state) {
        return new AddressView(
                state.virtualHost(), state.address(), state.kind(), limits(state.limits()), state.usedBytes(),
                state.usedMessages(), state.highestBytes(), state.creditBytes(), state.creditMessages(),
                state.droppedMessages(), state.refusedMessages(),
                state.waiting().stream()
                        .map(each -> new AddressView.Waiting(
                                each.connection(), each.producer(), each.limit(), each.waitingMillis(), each.position(),
                                each.parkedMessages(), each.parkedBytes()))
                        .toList(),
                state.queues().stream().map(OperatorViews::holder).toList());
    }

    private static AddressView.Holder holder(AddressState.QueueState queue) {
        return new AddressView.Holder(
                queue.name(), queue.readyMessages(), queue.delayedMessages(), queue.unsettledMessages(), queue.paused(),
                queue.consumers().stream()
                        .map(each -> new AddressView.Taker(
                                each.connection(), each.tag(), each.unsettledMessages(), each.settledPerSecond(),
                                each.measure() == null ? -1 : each.measure().slowMillis()))
                        .toList());
    }

    static ShortageView shortage(Shortage shortage) {
        return new ShortageView(shortage.reason(), shortage.sinceMillis());
    }
}
