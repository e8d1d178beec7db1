# What an application in Python does with Qpid Proton 0.37: the blocking API, then the events of the container.
# Arguments: URL of the broker, a queue, a queue that blocks when 5 messages are in it, a queue that fails then.
import sys

from proton import Delivery, Message, Timeout
from proton.handlers import MessagingHandler, TransactionHandler
from proton.reactor import Container, Copy, Selector
from proton.utils import BlockingConnection, LinkDetached, SendException

url, queue, full, failing = sys.argv[1:5]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


# ---- blocking

connection = BlockingConnection(url, timeout=15)


def told():
    """What was said before has arrived: Proton may send credit before outcomes."""
    connection.create_sender(queue, name="told").close()


sender = connection.create_sender(queue)
for i in range(20):
    delivery = sender.send(Message(id=i, body="message %d" % i, properties={"k": i % 2}, durable=i % 2 == 0))
    check(delivery.remote_state == Delivery.ACCEPTED, delivery.remote_state)

browser = connection.create_receiver(queue, credit=30, options=Copy())
check([browser.receive().body for _ in range(20)] == ["message %d" % i for i in range(20)], "browsing")
browser.close()

selected = connection.create_receiver(queue, options=Selector("k = 1"))
for i in range(1, 20, 2):
    message = selected.receive()
    check(message.id == i, message)
    selected.accept()
try:
    selected.receive(timeout=0.3)
    raise AssertionError("nothing more matches")
except Timeout:
    pass
selected.close()

receiver = connection.create_receiver(queue)
message = receiver.receive()
check(message.id == 0 and message.delivery_count == 0, message)
receiver.release(delivered=False)
told()
message = receiver.receive()
check(message.id == 0 and message.delivery_count == 0, message)
receiver.fetcher.unsettled[0].local.failed = True
receiver.release(delivered=True)
told()
message = receiver.receive()
check(message.id == 0 and message.delivery_count == 1, message)
receiver.accept()
check(receiver.receive().id == 2, "the next one")
receiver.reject()
for i in range(4, 20, 2):
    check(receiver.receive().id == i, "in order")
    receiver.accept()

# Drain: all there is, and an answer.
for i in range(5):
    sender.send(Message(body=i))
drained = 0
receiver.link.drain(10)
connection.wait(lambda: receiver.link.credit == 0, timeout=10)
while receiver.fetcher.has_message:
    receiver.receive()
    receiver.accept()
    drained += 1
check(drained == 5, "drained %d" % drained)
receiver.close()

# Request and reply, over a queue of the client's own.
replies = connection.create_receiver(None, dynamic=True)
address = replies.link.remote_source.address
check(address, "a dynamic address")
requests = connection.create_receiver(queue)
sender.send(Message(body="question", reply_to=address, correlation_id="c1"))
question = requests.receive()
requests.accept()
connection.create_sender(question.reply_to).send(Message(body="answer", correlation_id=question.correlation_id))
answer = replies.receive()
replies.accept()
check((answer.body, answer.correlation_id) == ("answer", "c1"), answer)
requests.close()

# A full address: the sender that waits for room times out, in order; the connection's others go on.
blocked = connection.create_sender(full)
sent = 0
try:
    while sent < 50:
        blocked.send(Message(body=sent), timeout=1)
        sent += 1
    raise AssertionError("it has no limit")
except Timeout:
    pass
check(sent == 5, "sent %d to an address for 5" % sent)
sender.send(Message(body="past"))
other = connection.create_receiver(queue)
check(other.receive().body == "past", "another link")
other.accept()
other.close()

# An address that fails.
fails = connection.create_sender(failing)
for i in range(5):
    fails.send(Message(body=i))
try:
    fails.send(Message(body=5))
    raise AssertionError("it has no limit")
except SendException as e:
    check(e.state == Delivery.REJECTED, e.state)

try:
    connection.create_receiver("/queues/there-is-none")
    raise AssertionError("there is no such queue")
except LinkDetached as e:
    check(e.condition == "amqp:not-found", e.condition)
connection.close()


# ---- transactions, by events

class Transacted(MessagingHandler, TransactionHandler):
    """Sends three in a transaction that is aborted, three in one that is committed, and takes these in a third."""

    def __init__(self):
        super().__init__(prefetch=0, auto_accept=False)
        self.round = 0
        self.sent = 0
        self.received = []

    def on_start(self, event):
        self.container = event.container
        self.connection = event.container.connect(url, reconnect=False)
        self.sender = event.container.create_sender(self.connection, queue)
        self.transaction = None
        event.container.declare_transaction(self.connection, handler=self)

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        if self.round < 2:
            self.sent = 0
            self.send()
        else:
            self.receiver = self.container.create_receiver(self.connection, queue)
            self.receiver.flow(3)

    def on_sendable(self, event):
        self.send()

    def send(self):
        # What waits for credit would come behind the end of its transaction.
        while self.transaction and self.sent < 3 and self.sender.credit:
            self.transaction.send(self.sender, Message(body="%d.%d" % (self.round, self.sent)))
            self.sent += 1
            if self.sent == 3 and self.round == 0:
                self.transaction.abort()
            elif self.sent == 3:
                self.transaction.commit()

    def on_message(self, event):
        self.received.append(event.message.body)
        self.transaction.accept(event.delivery)
        if len(self.received) == 3:
            self.transaction.commit()

    def on_transaction_aborted(self, event):
        self.again(event)

    def on_transaction_committed(self, event):
        if self.round == 2:
            self.connection.close()
        else:
            self.again(event)

    def again(self, event):
        self.round += 1
        self.container.declare_transaction(self.connection, handler=self)

    def on_transaction_declare_failed(self, event):
        raise AssertionError("no transaction")

    def on_transaction_commit_failed(self, event):
        raise AssertionError("not committed")


transacted = Transacted()
Container(transacted).run()
check(transacted.received == ["1.0", "1.1", "1.2"], transacted.received)


# ---- windows of credit, by events

class Window(MessagingHandler):
    """Has 3000 messages on their way with a prefetch of 10."""

    def __init__(self):
        super().__init__(prefetch=10)
        self.sent = self.confirmed = self.received = 0

    def on_start(self, event):
        connection = event.container.connect(url, reconnect=False)
        self.connection = connection
        event.container.create_sender(connection, queue)
        event.container.create_receiver(connection, queue)

    def on_sendable(self, event):
        while event.sender.credit and self.sent < 3000:
            event.sender.send(Message(id=self.sent, body="x" * 100))
            self.sent += 1

    def on_accepted(self, event):
        self.confirmed += 1
        self.close_if_done()

    def on_message(self, event):
        check(event.message.id == self.received, "in order")
        self.received += 1
        self.close_if_done()

    def close_if_done(self):
        if self.received == self.confirmed == 3000:
            self.connection.close()


window = Window()
Container(window).run()
check(window.received == 3000, window.received)
print("done")
