// An application on Node.js whose queue is full: what amqplib tells it, and that nothing is lost. The first failed
// expectation ends it with a stack trace. Its caller makes room when it says that it waits.
'use strict';

const assert = require('node:assert');
const amqp = require('amqplib');

const [uri, queue, free, mode] = process.argv.slice(2, 6);
const count = Number(process.argv[6]);
const size = Number(process.argv[7]);

const body = (number) => Buffer.from(`${number}:`.padEnd(size, '.'));
const say = (word) => process.stdout.write(`${word}\n`);

async function connect(events) {
  const connection = await amqp.connect(`${uri}?heartbeat=1`);
  connection.on('error', (error) => { throw error; });
  connection.on('blocked', (reason) => {
    if (events.push(reason) === 1) {
      say('blocked');
    }
  });
  connection.on('unblocked', () => events.push('unblocked'));
  return connection;
}

// Waits for a condition that events of the connection make true.
async function until(condition) {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const modes = {
  // Confirms stay out until there is room; a consumer of the same connection makes it.
  async confirmed() {
    const events = [];
    const connection = await connect(events);
    const publishing = await connection.createConfirmChannel();
    const consuming = await connection.createChannel();
    const taken = [];
    for (let number = 0; number < count; number++) {
      publishing.sendToQueue(queue, body(number), { persistent: true });
    }
    await consuming.prefetch(20);
    await consuming.consume(queue, (message) => {
      taken.push(parseInt(message.content.toString(), 10));
      consuming.ack(message);
    });
    await publishing.waitForConfirms();
    await until(() => taken.length === count);
    assert.deepStrictEqual(taken, [...Array(count).keys()]);
    assert.deepStrictEqual(events, []);
    await consuming.close(); // behind its acknowledgements, which connection.close() may pass
    await connection.close();
  },

  // Goes on publishing without confirms, whatever publish() returns; it is read no more and told so once.
  async unconfirmed() {
    const events = [];
    const connection = await connect(events);
    const publishing = await connection.createChannel();
    const other = await connection.createChannel();
    let number = 0;
    for (; number < count && events.length === 0; number++) {
      publishing.sendToQueue(queue, body(number));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => events.length === 1);
    say(`published ${number}`);
    // What another channel asks for is behind what was published before, and comes through by slices.
    await other.checkQueue(free);
    say('another channel');
    await until(() => events.length >= 2 && events.length % 2 === 0);
    events.forEach((event, index) => {
      assert.ok(index % 2 === 1 ? event === 'unblocked' : event.includes(queue), `${index}: ${event}`);
    });
    await connection.close();
  },

  // The address refuses.
  async failing() {
    const connection = await connect([]);
    const confirming = await connection.createConfirmChannel();
    let stored = 0;
    const answers = [];
    for (let number = 0; number < count; number++) {
      answers.push(new Promise((resolve) => confirming.sendToQueue(queue, body(number), {}, resolve)));
    }
    for (const error of await Promise.all(answers)) {
      if (error === null) {
        stored++;
      }
    }
    say(`stored ${stored}`);
    const plain = await connection.createChannel();
    const closed = new Promise((resolve) => plain.on('error', resolve));
    plain.sendToQueue(queue, body(0));
    const error = await closed;
    assert.strictEqual(error.code, 506);
    say(error.message);
    await connection.close();
  },

  // Publishes more than may wait, to an address that closes the channels of such producers.
  async uncooperative() {
    const connection = await connect([]);
    const plain = await connection.createChannel();
    const closed = new Promise((resolve) => plain.on('error', resolve));
    let open = true;
    closed.then(() => { open = false; });
    for (let number = 0; number < count && open; number++) {
      plain.sendToQueue(queue, body(number));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const error = await closed;
    assert.strictEqual(error.code, 506);
    say(error.message);
    await (await connection.createChannel()).checkQueue(free);
    say('goes on');
    await connection.close();
  },
};

modes[mode]().then(() => say('done'));
