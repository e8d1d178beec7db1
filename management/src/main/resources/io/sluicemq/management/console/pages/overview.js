// The broker at a glance: what passes, what waits, what it takes.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {chart} from '../chart.js';
import {chip, facts, meter, panel, table, title} from '../parts.js';
import {eventTable} from './events.js';
import {waitingPanel} from './why.js';

const SPAN_MS = 5 * 60_000;
const LAG_MS = 50;

export const overview = {
    title: () => 'Overview',

    async load(context, signal) {
        const [why, events] = await Promise.all([
            api.get('/api/why', signal), api.get('/api/events?count=8', signal),
        ]);
        return {why, events};
    },

    view({why, events}, {overview: last, samples}) {
        if (!last) {
            return [title('Overview'), h('p', {class: 'quiet'}, 'Loading…')];
        }
        const stats = last.message_stats;
        const {memory} = last;
        return [
            title('Overview'),
            h('ul', {class: 'tiles'},
                tile('In', f.rate(stats.publish_details.rate), f.short(stats.publish) + ' published in all'
                    + (last.counters.parkedMessages > 0 ? ', ' + f.short(last.counters.parkedMessages) + ' waiting' : '')),
                tile('Out', f.rate(stats.deliver_get_details.rate), f.short(stats.deliver_get) + ' in all'),
                tile('Acknowledged', f.rate(stats.ack_details.rate), f.short(stats.ack) + ' in all'),
                tile('Ready', f.short(last.queue_totals.messages_ready), 'messages'),
                tile('Unacknowledged', f.short(last.queue_totals.messages_unacknowledged), 'messages'),
                tile('Waiting', f.short(last.counters.parkedMessages), 'messages wait for room')),
            waitingPanel(why, last),
            h('div', {class: 'two'},
                h('div', {class: 'panel'}, chart({
                    heading: 'Messages a second', samples, spanMs: SPAN_MS, write: f.rate, unit: '/s', least: 10,
                    lines: [
                        {name: 'In', key: 's1', of: each => each.message_stats.publish_details.rate},
                        {name: 'Out', key: 's2', of: each => each.message_stats.deliver_get_details.rate},
                        {name: 'Acknowledged', key: 's3', of: each => each.message_stats.ack_details.rate},
                    ],
                })),
                h('div', {class: 'panel'}, chart({
                    heading: 'Messages in queues', samples, spanMs: SPAN_MS, write: f.short, least: 10,
                    lines: [
                        {name: 'Ready', key: 's1', of: each => each.queue_totals.messages_ready},
                        {name: 'Unacknowledged', key: 's2', of: each => each.queue_totals.messages_unacknowledged},
                        {name: 'Waiting', key: 's3', of: each => each.counters.parkedMessages},
                    ],
                }))),
            h('div', {class: 'two'},
                panel('Broker', facts([
                    ['Version', last.product_name + ' ' + last.product_version],
                    ['Node', last.node],
                    ['Running for', f.duration(last.uptime)],
                    ['Memory of messages', meter(
                        memory.message_bytes / Math.max(1, memory.message_limit_bytes),
                        f.bytes(memory.message_bytes) + ' of ' + f.bytes(memory.message_limit_bytes), 'used')],
                    ['Connections', h('a', {href: '#/connections'}, f.count(last.object_totals.connections))],
                    ['Queues', h('a', {href: '#/queues'}, f.count(last.object_totals.queues))],
                    ['Exchanges', h('a', {href: '#/exchanges'}, f.count(last.object_totals.exchanges))],
                    ['Consumers', f.count(last.object_totals.consumers)],
                ])),
                panel('Health', health(last))),
            panel('Listeners', table({
                caption: 'Listeners', rows: last.listeners, key: each => each.name + each.protocol + each.port,
                columns: [
                    {name: 'Name', slim: true, cell: each => each.name},
                    {name: 'Protocol', cell: each => each.protocol.toUpperCase()},
                    {name: 'Address', cell: each => each.ip_address},
                    {name: 'Port', number: true, cell: each => String(each.port)},
                ],
            })),
            panel('Events of late', eventTable(events), h('p', null, h('a', {href: '#/events'}, 'All events'))),
        ];
    },
};

const tile = (name, value, more) => h('li', null,
    h('span', {class: 'name'}, name), h('b', null, value), h('span', {class: 'quiet'}, more));

function health(last) {
    const lag = Math.max(0, ...last.loops.map(loop => loop.lagNanos)) / 1e6;
    const {counters} = last;
    const row = (good, yes, no, href) => h('li', null, good ? chip('good', yes)
        : [chip('warn', no), href && [' ', h('a', {href}, 'which')]]);
    return h('ul', {class: 'plain-list'},
        row(!last.shortage, 'Memory and disk suffice', last.shortage && 'All publishers wait: ' + last.shortage.reason),
        row(counters.parkedMessages === 0, 'No message waits for room',
            f.plural(counters.parkedMessages, 'message') + ' (' + f.bytes(counters.parkedBytes) + ') wait for room',
            '#/addresses?sort=waiting_producers&reverse=true'),
        row(!counters.slowConsumers, 'No consumer is too slow by a rule',
            f.plural(counters.slowConsumers, 'consumer') + ' too slow by a rule',
            '#/events?kind=slow_consumer'),
        row(lag < LAG_MS, 'Event loops answer within ' + LAG_MS + ' ms', 'An event loop took ' + Math.round(lag) + ' ms to answer'),
        row(!counters.failedChecks, 'No check has failed', f.plural(counters.failedChecks, 'check') + ' failed: see the log'));
}
