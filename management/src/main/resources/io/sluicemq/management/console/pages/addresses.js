// Addresses: what they may hold, what they hold, who waits.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {exchangeName, fill, fillMeter, filters, listOrder, limitsInWords, listQuery, pager, panel, table, title} from '../parts.js';
import {flowLink} from './why.js';

const ORDER = {sort: 'waiting_producers', reverse: true};

export const addresses = {
    title: () => 'Addresses',

    load({at}, signal) {
        const vhost = at.get('vhost');
        return api.get((vhost ? api.path('addresses', vhost) : '/api/addresses') + api.query(listQuery(at, ORDER)), signal);
    },

    view: (data, {at, go, hosts}) => [
        title('Addresses'),
        h('p', {class: 'quiet'}, 'A queue is an address; an exchange and a virtual host are, too, if they have a limit.'
            + ' Limits that a queue was declared with stand on its page.'),
        filters(at, go, hosts, 'Name'),
        panel('All addresses', table({
            caption: 'Addresses', rows: data.items, key: each => each.kind + ' ' + each.vhost + ' ' + each.address,
            empty: 'No address.', order: listOrder(at, go, ORDER, ['address', 'kind', 'vhost']),
            columns: [
                {name: 'Address', sort: 'address', cell: each => h('a', {href: flowLink(each)},
                    each.kind === 'virtual host' ? each.vhost : exchangeName(each.address))},
                {name: 'Kind', sort: 'kind', cell: each => each.kind},
                {name: 'Virtual host', sort: 'vhost', wide: true, cell: each => each.vhost},
                {name: 'Waiting', sort: 'waiting_producers', number: true, cell: each => f.count(each.waiting.length)},
                {name: 'Fill', cell: each => fillMeter(each, true)},
                {name: 'Limit', wide: true, cell: each => h('span', {class: 'text'}, fill(each) === null ? '' : limitsInWords(each.limits))},
                {name: 'Bytes', sort: 'used_bytes', number: true, cell: each => f.bytes(each.used_bytes)},
                {name: 'Messages', sort: 'used_messages', number: true, cell: each => f.count(each.used_messages)},
                {name: 'Dropped', sort: 'dropped_messages', number: true, wide: true, cell: each => f.count(each.dropped_messages)},
                {name: 'Refused', sort: 'refused_messages', number: true, wide: true, cell: each => f.count(each.refused_messages)},
            ],
        }), pager(data, go, 'addresses')),
    ],
};
