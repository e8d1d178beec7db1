// Exchanges, and where their messages go.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {
    argumentsOf, ask, exchangeLink, exchangeName, facts, fillMeter, filters, limitsInWords, link, listOrder, listQuery, mayOnlyLook, pager, panel,
    table, title,
} from '../parts.js';
import {publishFields, publish} from './acts.js';
import {reason} from './why.js';

const ORDER = {sort: 'name', reverse: false};
const MOST = 200;

export const exchanges = {
    title: () => 'Exchanges',

    load({at}, signal) {
        const vhost = at.get('vhost');
        return api.get((vhost ? api.path('exchanges', vhost) : '/api/exchanges') + api.query(listQuery(at, ORDER)), signal);
    },

    view: (data, {at, go, hosts}) => [
        title('Exchanges'),
        filters(at, go, hosts, 'Name'),
        panel('All exchanges', table({
            caption: 'Exchanges', rows: data.items, key: each => each.vhost + ' ' + each.name, empty: 'No exchange.',
            order: listOrder(at, go, ORDER, ['name', 'vhost', 'type']),
            columns: [
                {name: 'Name', sort: 'name', cell: each => h('a', {href: exchangeLink(each.vhost, each.name)}, exchangeName(each.name))},
                {name: 'Type', sort: 'type', cell: each => each.type},
                {name: 'Virtual host', sort: 'vhost', wide: true, cell: each => each.vhost},
                {name: 'Bindings', sort: 'bindings', number: true, cell: each => each.name === '' ? h('span', {class: 'quiet'}, 'every queue') : f.count(each.bindings)},
                {name: 'Kept', wide: true, cell: each => each.durable ? 'durable' : 'until the broker ends'},
            ],
        }), pager(data, go, 'exchanges')),
    ],
};

const named = segment => segment === 'amq.default' ? '' : segment;

export const exchange = {
    title: ({rest}) => 'Exchange ' + exchangeName(named(rest[1])),

    async load({route}, signal) {
        const [vhost, segment] = route.rest;
        const name = named(segment);
        const about = await api.get(api.exchangePath(vhost, name), signal);
        const [bindings, addresses] = await Promise.all([
            name === '' ? [] : api.get(api.exchangePath(vhost, name, 'bindings', 'source'), signal),
            name === '' ? [] : api.get(api.path('addresses', vhost, name), signal).catch(e => {
                if (e.status === 404) {
                    return []; // it has no limit
                }
                throw e;
            }),
        ]);
        return {about, bindings, address: addresses.find(each => each.kind === 'exchange')};
    },

    view({about, bindings, address}, {mayAct, done}) {
        const {name, vhost} = about;
        return [
            title(['Exchange ', h('span', {class: 'name'}, exchangeName(name))], h('div', {class: 'acts'},
                h('a', {class: 'button', href: link('flow', 'exchange', vhost, name === '' ? 'amq.default' : name)}, 'On the flow map'),
                !mayAct ? mayOnlyLook() : h('button', {type: 'button', onclick: () => ask({
                    heading: 'Publish a test message', button: 'Publish', fields: publishFields(''),
                    act: values => publish(vhost, name, values), done,
                })}, 'Publish…'))),
            address && address.waiting.length > 0 && reason(address),
            panel('Facts', facts([
                ['Virtual host', vhost],
                ['Type', about.type],
                ['Kept', about.durable ? 'durable' : 'until the broker ends'],
                about.auto_delete && ['Deleted', 'when its last binding goes'],
                about.internal && ['Internal', 'only other exchanges publish to it'],
                ['Arguments', argumentsOf(about.arguments)],
                address && ['Limits', limitsInWords(address.limits)],
                address && ['Fill', fillMeter(address)],
            ])),
            panel('Where its messages go', name === ''
                ? h('p', null, 'To the queue whose name is the routing key.')
                : table({
                    caption: 'Bindings', rows: bindings.slice(0, MOST),
                    key: each => each.destination_type + ' ' + each.destination + ' ' + each.properties_key,
                    empty: 'Nowhere: what is published to it is dropped.',
                    columns: [
                        {name: 'To', cell: each => h('a', {href: each.destination_type === 'queue'
                            ? link('queues', vhost, each.destination) : exchangeLink(vhost, each.destination)}, each.destination)},
                        {name: 'Kind', cell: each => each.destination_type},
                        {name: 'Key', cell: each => h('code', null, each.routing_key)},
                        {name: 'Arguments', wide: true, cell: each => argumentsOf(each.arguments, '')},
                    ],
                }), bindings.length > MOST && h('p', {class: 'quiet'}, 'And ' + f.count(bindings.length - MOST) + ' more.')),
        ];
    },
};
