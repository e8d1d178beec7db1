// What an application on Node.js does with rhea 3. Arguments: host, port, a queue, a queue that blocks when 5 messages are in it,
// a queue that fails then.
'use strict';
const rhea = require('rhea');

const [host, port, queue, full, failing] = process.argv.slice(2);

function check(condition, what) {
  if (!condition) throw new Error(String(what));
}

/** The next event of that name. */
function once(emitter, name) {
  return new Promise((resolve) => emitter.once(name, resolve));
}

async function main() {
  const container = rhea.create_container();
  container.on('error', (e) => { throw e; });
  container.on('disconnected', (context) => { if (context.error) throw context.error; });
  const connection = container.connect({ host, port, username: 'guest', password: 'guest', reconnect: false });
  await once(connection, 'connection_open');

  // Sending, and settling in every way.
  const sender = connection.open_sender(queue);
  await once(sender, 'sendable');
  let accepted = 0;
  sender.on('accepted', () => accepted++);
  for (let i = 0; i < 6; i++) sender.send({ message_id: i, body: 'message ' + i, application_properties: { k: i % 2 } });

  const receiver = connection.open_receiver({ source: queue, credit_window: 0, autoaccept: false });
  await once(receiver, 'receiver_open');
  const next = async () => {
    const arrived = once(receiver, 'message');
    receiver.add_credit(1);
    return arrived;
  };
  let got = await next();
  check(got.message.message_id === 0 && !got.message.delivery_count, 'the first');
  got.delivery.release();
  got = await next();
  check(got.message.message_id === 0 && !got.message.delivery_count, 'released');
  got.delivery.modified({ delivery_failed: true });
  got = await next();
  check(got.message.message_id === 0 && got.message.delivery_count === 1, 'modified');
  got.delivery.reject({ condition: 'app:bad', description: 'no use' });
  got = await next();
  check(got.message.message_id === 1, 'behind the rejected');
  got.delivery.accept();

  // Browsing does not take.
  const browser = connection.open_receiver({ source: { address: queue, distribution_mode: 'copy' }, credit_window: 10 });
  const browsed = [];
  browser.on('message', (context) => browsed.push(context.message.message_id));
  while (browsed.length < 4) await once(browser, 'message');
  check(browsed.join() === '2,3,4,5', browsed);
  browser.close();
  await once(browser, 'receiver_close');

  // Drain: all there is, and an answer.
  let drained = 0;
  receiver.on('message', (context) => { drained++; context.delivery.accept(); });
  receiver.drain = true;
  receiver.add_credit(10);
  await once(receiver, 'receiver_drained');
  check(drained === 4, 'drained ' + drained);
  check(receiver.credit === 0, 'credit ' + receiver.credit);
  check(accepted === 6, 'accepted ' + accepted);
  receiver.close();
  await once(receiver, 'receiver_close');

  // Request and reply.
  const replies = connection.open_receiver({ source: { dynamic: true } });
  await once(replies, 'receiver_open');
  const server = connection.open_receiver(queue);
  server.on('message', (context) => {
    const reply = connection.open_sender(context.message.reply_to);
    reply.once('sendable', () => reply.send({ correlation_id: context.message.message_id, body: 'answer' }));
  });
  const answered = once(replies, 'message');
  sender.send({ message_id: 'r1', reply_to: replies.source.address, body: 'question' });
  const answer = await answered;
  check(answer.message.correlation_id === 'r1' && answer.message.body === 'answer', 'answer');

  // A full address: its sender has no credit any more, and other links of the same session go on.
  const blocked = connection.open_sender(full);
  let confirmed = 0;
  let offered = 0;
  // rhea counts credit down only when it writes, and holds a whole session behind a message that has none: one at a time.
  const offer = () => {
    if (offered === confirmed && offered < 20 && blocked.sendable()) {
      offered++;
      blocked.send({ body: offered });
    }
  };
  blocked.on('accepted', () => { confirmed++; offer(); });
  blocked.on('sendable', offer);
  while (confirmed < 5) await once(blocked, 'accepted');
  check(!blocked.sendable(), 'credit at a full address');
  let through = 0;
  sender.removeAllListeners('sendable');
  let sent = 0;
  const fill = () => {
    while (sent < 500 && sender.sendable()) {
      sender.send({ reply_to: replies.source.address, body: 'x' });
      sent++;
    }
  };
  server.removeAllListeners('message');
  server.on('message', () => { through++; });
  sender.on('sendable', fill);
  fill();
  while (through < 500) await once(server, 'message');
  check(confirmed === 5, 'confirmed ' + confirmed);
  const drain = connection.open_receiver(full);
  let drainedFull = 0;
  drain.on('message', () => drainedFull++);
  while (drainedFull < 20) await once(drain, 'message');

  // An address that fails.
  const fails = connection.open_sender(failing);
  await once(fails, 'sendable');
  const rejected = once(fails, 'rejected');
  for (let i = 0; i < 6; i++) fails.send({ body: i });
  const refusal = (await rejected).delivery.remote_state;
  check(refusal.error.condition === 'amqp:resource-limit-exceeded', JSON.stringify(refusal));

  // No such queue.
  const none = connection.open_receiver('/queues/there-is-none');
  const error = (await once(none, 'receiver_error')).receiver.error;
  check(error.condition === 'amqp:not-found', error.condition);

  connection.close();
  await once(connection, 'connection_close');
  console.log('done');
}

main().catch((e) => { console.log(e.stack); process.exit(1); });
