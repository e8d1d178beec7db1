// What can be done to a queue and its messages, each asked about first, and what to say of it then.

import * as api from '../api.js';
import * as f from '../format.js';

export const publishFields = key => [
    {name: 'key', label: 'Routing key', value: key},
    {name: 'payload', label: 'Body', rows: 5, value: 'A test message from the console.'},
    {name: 'persistent', label: 'Kept', options: [['2', 'survives the broker\'s end'], ['1', 'in memory only']]},
];

export async function publish(vhost, exchange, {key, payload, persistent}) {
    const {queues} = await api.post(api.exchangePath(vhost, exchange, 'publish'), {
        routing_key: key, payload, payload_encoding: 'string',
        properties: {delivery_mode: Number(persistent), content_type: 'text/plain'},
    });
    return queues === 0 ? 'Published, but no queue takes it: it was dropped.' : 'Published: ' + f.plural(queues, 'queue') + ' took it.';
}

/** The acts of a queue, by name; each takes the queue, and what `ask` needs beside. */
export const ACTS = {
    publish: queue => ({
        heading: 'Publish a test message', text: 'It goes to this queue by the default exchange.', button: 'Publish',
        fields: publishFields(queue.name).filter(each => each.name !== 'key'),
        act: values => publish(queue.vhost, '', {...values, key: queue.name}),
    }),
    purge: queue => ({
        heading: 'Purge ' + queue.name, danger: true, button: 'Drop the messages',
        text: 'Drops all messages that are ready, ' + f.count(queue.messages_ready)
            + ' now. Those that consumers hold are not touched. This can\'t be undone.',
        act: async () => {
            await api.remove(api.path('queues', queue.vhost, queue.name, 'contents'));
            return 'Purged: the ready messages of ' + queue.name + ' were dropped.';
        },
    }),
    pause: queue => ({
        heading: (queue.paused ? 'Resume ' : 'Pause ') + queue.name, button: queue.paused ? 'Resume' : 'Pause',
        text: queue.paused ? 'Its consumers are given messages again.'
            : 'Its consumers are given nothing until it is resumed, or the broker starts again. Producers go on.',
        act: async () => {
            await api.post(api.path('queues', queue.vhost, queue.name, queue.paused ? 'resume' : 'pause'));
            return queue.name + (queue.paused ? ' goes on.' : ' is paused.');
        },
    }),
    move: queue => ({
        heading: 'Move messages of ' + queue.name, button: 'Move',
        text: 'From its head to another queue, each batch of them in a transaction: none is lost or doubled.',
        fields: [
            {name: 'where', label: 'To', options: [['queue', 'the queue named below'], ['died', 'where they died (dead letters)']]},
            {name: 'to', label: 'Queue'},
            {name: 'count', label: 'How many', type: 'number', min: '1', hint: 'All there are if this is empty.'},
        ],
        act: async ({where, to, count}) => {
            const body = {...(where === 'queue' ? {queue: to} : {}), ...(count ? {count: Number(count)} : {})};
            const moved = await api.post(
                api.path('queues', queue.vhost, queue.name, where === 'queue' ? 'move' : 'retry'), body);
            return 'Moved ' + f.plural(moved.moved, 'message') + '; ' + f.count(moved.remaining) + ' remain.'
                + (moved.stopped ? ' It ended early: ' + moved.stopped : '');
        },
    }),
    delete: queue => ({
        heading: 'Delete ' + queue.name, danger: true, button: 'Delete the queue',
        text: 'With its ' + f.plural(queue.messages, 'message') + ' and bindings; its '
            + f.plural(queue.consumers, 'consumer') + ' are cancelled. This can\'t be undone.',
        fields: [{name: 'only', label: 'Delete it', options: [['', 'in any case'], ['if-empty', 'only if it is empty'],
            ['if-unused', 'only if it has no consumer']]}],
        act: async ({only}) => {
            await api.remove(api.path('queues', queue.vhost, queue.name) + (only ? '?' + only + '=true' : ''));
            return 'Deleted ' + queue.name + '.';
        },
    }),
};

/** Fields for looking at messages; taking them says what becomes of them. */
export const getFields = [
    {name: 'count', label: 'How many', type: 'number', min: '1', max: '100', value: '10', required: true},
    {name: 'mode', label: 'Then', options: [
        ['browse', 'they stay where they are (browse)'],
        ['ack_requeue_true', 'they go back, redelivered (get)'],
        ['ack_requeue_false', 'they leave the queue (get and acknowledge)'],
        ['reject_requeue_false', 'they become dead letters (reject)'],
    ]},
];

export function getMessages(queue, {count, mode}) {
    const at = api.path('queues', queue.vhost, queue.name, mode === 'browse' ? 'browse' : 'get');
    return api.post(at, {count: Number(count), ...(mode === 'browse' ? {} : {ackmode: mode}), encoding: 'auto', truncate: 10_000});
}
