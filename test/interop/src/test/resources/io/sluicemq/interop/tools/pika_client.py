"""What applications in Python do with pika, in one go; the first failed expectation ends it with a traceback."""

import sys
import uuid

import pika

parameters = pika.URLParameters(sys.argv[1])
parameters.heartbeat = 30
connection = pika.BlockingConnection(parameters)
channel = connection.channel()
name = "pika-" + uuid.uuid4().hex


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError("expected %r, was %r" % (wanted, actual))


# topology
channel.exchange_declare(exchange=name, exchange_type="topic", auto_delete=True)
expect(channel.queue_declare(queue=name, durable=True, arguments={"x-max-length": 1000}).method.message_count, 0)
channel.queue_bind(queue=name, exchange=name, routing_key="a.*")
private = channel.queue_declare(queue="", exclusive=True).method.queue
channel.queue_bind(queue=private, exchange=name, routing_key="#")

# confirms and returns
channel.confirm_delivery()
headers = {"text": "Grüße", "int": 5, "long": 6000000000, "bool": True, "none": None, "list": [1, "two", {"three": 3}],
           "bytes": b"\x00\xff"}
properties = pika.BasicProperties(content_type="text/plain", delivery_mode=2, headers=headers, priority=3,
                                  correlation_id="c", message_id="m", timestamp=1700000000, type="t", app_id="pika")
channel.basic_publish(name, "a.b", b"first", properties, mandatory=True)
try:
    channel.basic_publish("", "nowhere-" + name, b"lost", mandatory=True)
    raise AssertionError("was not returned")
except pika.exceptions.UnroutableError as error:
    expect(error.messages[0].body, b"lost")
    expect(error.messages[0].method.reply_code, 312)

# get
method, received, body = channel.basic_get(private, auto_ack=True)
expect(body, b"first")
expect(received.headers, headers)
expect(method.routing_key, "a.b")
expect(method.exchange, name)
expect(channel.basic_get(private)[0], None)

# consume, acknowledge, refuse
for number in range(2, 51):
    channel.basic_publish(name, "a.b", str(number).encode())
channel.basic_qos(prefetch_count=10)
seen = []
for method, received, body in channel.consume(name, inactivity_timeout=5):
    if method is None:
        raise AssertionError("no delivery within 5 s after %r" % seen)
    seen.append(body)
    if body == b"3" and not method.redelivered:
        channel.basic_nack(method.delivery_tag, requeue=True)
    else:
        channel.basic_ack(method.delivery_tag)
    if len(seen) == 51:
        break
expect(channel.cancel(), 0)
expect(sorted(seen), sorted([b"first", b"3"] + [str(number).encode() for number in range(2, 51)]))
expect(channel.queue_declare(queue=name, passive=True).method.message_count, 0)

# a large message
large = bytes(range(256)) * 8000
channel.basic_publish("", name, large)
expect(channel.basic_get(name, auto_ack=True)[2], large)

# a transaction on a channel of its own
transacted = connection.channel()
transacted.tx_select()
transacted.basic_publish("", name, b"rolled back")
transacted.tx_rollback()
transacted.basic_publish("", name, b"committed")
transacted.tx_commit()
expect(channel.basic_get(name, auto_ack=True)[2], b"committed")
transacted.close()

# an error ends a channel and leaves the connection
failing = connection.channel()
try:
    failing.queue_declare(queue="nothing-" + name, passive=True)
    raise AssertionError("was not refused")
except pika.exceptions.ChannelClosedByBroker as error:
    expect(error.reply_code, 404)
    expect(error.reply_text, "NOT_FOUND - no queue 'nothing-%s' in vhost '/'" % name)

# replies without a queue
replies = []
channel.basic_consume("amq.rabbitmq.reply-to", lambda c, m, p, b: replies.append(b), auto_ack=True)
channel.basic_publish("", name, b"question", pika.BasicProperties(reply_to="amq.rabbitmq.reply-to"))
other = pika.BlockingConnection(parameters)
serving = other.channel()
method, received, body = serving.basic_get(name, auto_ack=True)
serving.basic_publish("", received.reply_to, b"answer")
other.close()
while not replies:
    connection.process_data_events(time_limit=5)
expect(replies, [b"answer"])

channel.queue_delete(name)
channel.queue_delete(private)
connection.close()
print("done")
