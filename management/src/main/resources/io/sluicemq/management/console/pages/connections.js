// Connections, their channels and links, and what they wait for.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {ask, chip, facts, filters, link, listOrder, listQuery, mayOnlyLook, pager, panel, table, title, waitState} from '../parts.js';
import {reason} from './why.js';

const ORDER = {sort: 'name', reverse: false};
const COLUMNS = 'name,vhost,user,protocol,product,state,waits_for,channels,consumers,recv_oct,send_oct,connected_at';

export const connections = {
    title: () => 'Connections',

    load({at}, signal) {
        const vhost = at.get('vhost');
        return api.get((vhost ? api.path('vhosts', vhost, 'connections') : '/api/connections')
            + api.query({...listQuery(at, ORDER), columns: COLUMNS}), signal);
    },

    view: (data, {at, go, hosts}) => [
        title('Connections'),
        filters(at, go, hosts, 'Name'),
        panel('All connections', table({
            caption: 'Connections', rows: data.items, key: each => each.name, empty: 'Nobody is connected.',
            order: listOrder(at, go, ORDER, ['name', 'vhost', 'user', 'protocol', 'product', 'state']),
            columns: [
                {name: 'Name', sort: 'name', cell: each => h('a', {href: link('connections', each.name)}, each.name)},
                {name: 'State', sort: 'state', cell: waitState},
                {name: 'User', sort: 'user', cell: each => each.user},
                {name: 'Virtual host', sort: 'vhost', wide: true, cell: each => each.vhost},
                {name: 'Protocol', sort: 'protocol', cell: each => h('span', {class: 'nowrap'}, each.protocol)},
                {name: 'Client', sort: 'product', wide: true, cell: each => each.product},
                {name: 'Channels', sort: 'channels', number: true, cell: each => f.count(each.channels)},
                {name: 'Consumers', sort: 'consumers', number: true, cell: each => f.count(each.consumers)},
                {name: 'Received', sort: 'recv_oct', number: true, wide: true, cell: each => f.bytes(each.recv_oct)},
                {name: 'Sent', sort: 'send_oct', number: true, wide: true, cell: each => f.bytes(each.send_oct)},
            ],
        }), pager(data, go, 'connections')),
    ],
};

export const connection = {
    title: ({rest}) => 'Connection ' + rest[0],

    async load({route}, signal) {
        const about = await api.get(api.path('connections', route.rest[0]), signal);
        const why = about.waits_for ? await api.get('/api/why' + api.query({subject: about.name}), signal) : {addresses: []};
        return {about, waitsFor: why.addresses.filter(each => each.waiting.some(who => who.connection === about.name))};
    },

    view({about, waitsFor}, context) {
        return [
            title(['Connection ', h('span', {class: 'name'}, about.name)], waitState({state: about.state})),
            h('div', {class: 'acts'}, context.mayAct
                ? h('button', {type: 'button', class: 'danger', onclick: () => close(about, context)}, 'Close the connection…')
                : mayOnlyLook()),
            about.waits_for && waitsFor.length === 0 && h('p', {class: 'banner warn'}, 'It waits for ' + about.waits_for + '.'),
            waitsFor.length > 0 && panel('What it waits for', waitsFor.map(reason)),
            panel('Facts', facts([
                ['User', about.user],
                ['Virtual host', about.vhost],
                ['Protocol', about.protocol],
                ['Client', about.product || '–'],
                about.container_id && ['Calls itself', about.container_id],
                ['From', about.peer_host + (about.peer_port ? ' port ' + about.peer_port : '')],
                ['Connected', f.moment(about.connected_at) + ', ' + f.duration(Date.now() - about.connected_at) + ' ago'],
                ['Received', f.bytes(about.recv_oct)],
                ['Sent', f.bytes(about.send_oct)],
                ['Heartbeat', about.timeout ? about.timeout + ' s' : 'none'],
                ['Largest frame', about.frame_max ? f.bytes(about.frame_max) : '–'],
            ])),
            panel(about.protocol === 'AMQP 1.0' ? 'Sessions' : 'Channels', table({
                caption: 'Channels', rows: about.channel_details, key: each => String(each.number), empty: 'None is open.',
                columns: [
                    {name: 'Number', cell: each => String(each.number)},
                    {name: 'State', cell: waitState},
                    {name: 'Consumers', number: true, cell: each => f.count(each.consumer_count)},
                    {name: 'Unacked', number: true, cell: each => f.count(each.messages_unacknowledged)},
                    {name: 'Waiting', number: true, cell: each => f.count(each.messages_unconfirmed)},
                    {name: 'Waiting bytes', number: true, wide: true, cell: each => f.bytes(each.parked_bytes)},
                    {name: 'Prefetch', number: true, wide: true, cell: each => f.count(each.prefetch_count)},
                    {name: 'Mode', wide: true, cell: each => each.transactional ? 'transactions' : each.confirm ? 'confirms' : 'plain'},
                ],
            })),
            links(about),
            panel('What the client says of itself', Object.keys(about.client_properties).length === 0
                ? h('p', {class: 'quiet'}, 'Nothing.')
                : h('pre', {tabindex: '0', 'aria-label': 'client properties'}, JSON.stringify(about.client_properties, null, 2))),
        ];
    },
};

function links(about) {
    const rows = about.channel_details.flatMap(channel => channel.links.map(each => ({...each, session: channel.number})));
    return rows.length > 0 && panel('Links', table({
        caption: 'Links', rows, key: each => each.session + ' ' + each.role + ' ' + each.name,
        columns: [
            {name: 'Link', cell: each => each.name},
            {name: 'Role', cell: each => each.role},
            {name: 'Address', cell: each => each.address || '(in each message)'},
            {name: 'Credit', number: true, cell: each => each.role === 'producer' && each.credit === 0
                ? chip('warn', 'exhausted') : f.count(each.credit)},
            {name: 'Session', number: true, wide: true, cell: each => String(each.session)},
        ],
    }));
}

function close(about, context) {
    ask({
        heading: 'Close the connection', danger: true, button: 'Close it',
        text: 'Its client is told the reason. What it holds unacknowledged goes back to the queues.',
        fields: [{name: 'reason', label: 'Reason', value: 'closed by an operator', required: true,
            hint: 'Letters, digits and signs of ASCII.'}],
        act: async ({reason}) => {
            await api.remove(api.path('connections', about.name), {'X-Reason': reason.replace(/[^\x20-\x7e]/g, '?')});
            return 'Closed ' + about.name + '.';
        },
        done: said => context.done(said, '#/connections'),
    });
}
