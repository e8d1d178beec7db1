// The list of queues; the server pages, filters and sorts it.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {fillMeter, filters, link, listOrder, listQuery, pager, panel, state, table, title, troubles} from '../parts.js';

const ORDER = {sort: 'name', reverse: false};
const COLUMNS = [
    'name', 'vhost', 'state', 'messages', 'messages_ready', 'messages_unacknowledged', 'message_bytes', 'consumers',
    'message_stats.publish_details.rate', 'message_stats.deliver_get_details.rate', 'message_stats.ack_details.rate',
    'used_bytes', 'used_messages', 'limits', 'waiting_producers', 'paused', 'arguments',
].join(',');

const rates = each => each.message_stats;

export const queues = {
    title: () => 'Queues',

    load({at}, signal) {
        const vhost = at.get('vhost');
        return api.get((vhost ? api.path('queues', vhost) : '/api/queues')
            + api.query({...listQuery(at, ORDER), columns: COLUMNS}), signal);
    },

    view: (data, {at, go, hosts}) => [
        title('Queues'),
        filters(at, go, hosts, 'Name'),
        panel('All queues', table({
            caption: 'Queues', rows: data.items, key: each => each.vhost + ' ' + each.name,
            empty: at.get('name') ? 'No queue has that in its name.' : 'No queue yet.',
            order: listOrder(at, go, ORDER, ['name', 'vhost', 'state']),
            columns: [
                {name: 'Name', sort: 'name', cell: each => h('a', {href: link('queues', each.vhost, each.name)}, each.name)},
                {name: 'Virtual host', sort: 'vhost', wide: true, cell: each => each.vhost},
                {name: 'State', sort: 'state', cell: each => [state(each.state), ' ', troubles(each)]},
                {name: 'Fill of limit', cell: each => fillMeter(each, true)},
                {name: 'Ready', sort: 'messages_ready', number: true, cell: each => f.count(each.messages_ready)},
                {name: 'Unacked', sort: 'messages_unacknowledged', number: true, cell: each => f.count(each.messages_unacknowledged)},
                {name: 'Bytes', sort: 'message_bytes', number: true, cell: each => f.bytes(each.message_bytes)},
                {name: 'Consumers', sort: 'consumers', number: true, cell: each => f.count(each.consumers)},
                {name: 'In', sort: 'message_stats.publish_details.rate', number: true,
                    cell: each => f.rate(rates(each).publish_details.rate)},
                {name: 'Out', sort: 'message_stats.deliver_get_details.rate', number: true,
                    cell: each => f.rate(rates(each).deliver_get_details.rate)},
                {name: 'Acked', sort: 'message_stats.ack_details.rate', number: true, wide: true,
                    cell: each => f.rate(rates(each).ack_details.rate)},
            ],
        }), pager(data, go, 'queues')),
    ],
};
