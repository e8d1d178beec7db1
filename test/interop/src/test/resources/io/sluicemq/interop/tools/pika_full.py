"""An application in Python whose queue is full: what pika tells it, and that nothing is lost. The first failed expectation ends
it with a traceback. Its caller makes room when it says that it waits."""

import sys
import time

import pika

uri, queue, free, mode = sys.argv[1:5]
count = int(sys.argv[5])
size = int(sys.argv[6])
parameters = pika.URLParameters(uri)
parameters.heartbeat = 1


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError("expected %r, was %r" % (wanted, actual))


def body(number):
    return (b"%d:" % number).ljust(size, b".")


def say(word):
    print(word, flush=True)


def confirmed():
    """Each publish waits for its confirm; a consumer of the same connection makes room. It takes without acknowledgement, as its
    callback could acknowledge nothing while this thread is in basic_publish."""
    connection = pika.BlockingConnection(parameters)
    taken = []
    connection.channel().basic_consume(queue, lambda c, m, p, content: taken.append(int(content.split(b":")[0])),
                                       auto_ack=True)
    publishing = connection.channel()
    publishing.confirm_delivery()
    for number in range(count):
        publishing.basic_publish("", queue, body(number), pika.BasicProperties(delivery_mode=2))
    while len(taken) < count:
        connection.process_data_events(time_limit=5)
    expect(taken, list(range(count)))
    connection.close()


def unconfirmed():
    """Goes on publishing; its connection is read no more, and it is told so once. Heartbeats and another channel go on."""
    told = []

    def started(connection, method):
        told.append(method.method.reason)
        say("blocked")

    connection = pika.BlockingConnection(parameters)
    connection.add_on_connection_blocked_callback(started)
    connection.add_on_connection_unblocked_callback(lambda c, method: told.append("unblocked"))
    channel = connection.channel()
    number = 0
    while not told:
        channel.basic_publish("", queue, body(number))
        connection.process_data_events(time_limit=0)
        number += 1
    # Longer than either side goes without hearing of the other one, and another channel is used meanwhile.
    begun = time.monotonic()
    other = connection.channel()
    while time.monotonic() - begun < 3:
        connection.process_data_events(time_limit=0.1)
        other.basic_publish("", free, b"beside")
        if other.queue_declare(queue=free, passive=True).method.message_count == 0:
            continue
        expect(other.basic_get(free, auto_ack=True)[2], b"beside")
    expect(len(told), 1)
    say("published %d" % number)
    say("another channel")
    while len(told) < 2:
        connection.process_data_events(time_limit=1)
    expect(told[1], "unblocked")
    if queue not in told[0] or "max-messages" not in told[0]:
        raise AssertionError("the reason is %r" % told[0])
    connection.close()


def failing():
    """The address refuses."""
    connection = pika.BlockingConnection(parameters)
    channel = connection.channel()
    channel.confirm_delivery()
    stored = 0
    try:
        for number in range(count):
            channel.basic_publish("", queue, body(number))
            stored += 1
        raise AssertionError("was not refused")
    except pika.exceptions.NackError:
        say("stored %d" % stored)
    plain = connection.channel()
    try:
        plain.basic_publish("", queue, body(0))
        plain.queue_declare(queue=free, passive=True)
        raise AssertionError("was not refused")
    except pika.exceptions.ChannelClosedByBroker as error:
        expect(error.reply_code, 506)
        say(error.reply_text)
    connection.close()


def uncooperative():
    """Publishes more than may wait, to an address that closes the channels of such producers."""
    connection = pika.BlockingConnection(parameters)
    channel = connection.channel()
    try:
        for number in range(count):
            channel.basic_publish("", queue, body(number))
            # Answered, though the publish waits: that is when a close is noticed.
            channel.queue_declare(queue=free, passive=True)
        raise AssertionError("was not closed")
    except pika.exceptions.ChannelClosedByBroker as error:
        expect(error.reply_code, 506)
        say(error.reply_text)
    connection.channel().queue_declare(queue=free, passive=True)
    say("goes on")
    connection.close()


{"confirmed": confirmed, "unconfirmed": unconfirmed, "failing": failing, "uncooperative": uncooperative}[mode]()
say("done")
