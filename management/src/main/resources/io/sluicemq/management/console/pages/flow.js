// The flow map: producers → exchanges → queues → consumers, drawn from left to right, with what passes, how full each is, and who
// waits and why. The same as a table below.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {
    chip, exchangeLink, exchangeName, fill, fillMeter, fillText, link, mood, panel, table, title,
} from '../parts.js';
import {reason} from './why.js';

const WIDTH = 1120;
const BOX = {width: 220, height: 62, gap: 16};
const TANK = 62;
const HEAD = 34;
const MOST_NODES = 12;

export const flow = {
    title: ({rest}) => rest.length === 3 && rest[0] !== 'vhost' ? 'Flow map of ' + rest[0] + ' ' + rest[2] : 'Flow map',

    async load({route, at, state}, signal) {
        const [kind, vhost, name] = route.rest;
        const data = await api.get('/api/flow' + api.query(kind === undefined || kind === 'vhost'
            ? {vhost: vhost || at.get('vhost'), most: MOST_NODES} : {kind, vhost, name, most: MOST_NODES}), signal);
        data.at = Date.now();
        measure(data, state);
        return data;
    },

    view(data, {route, at, go, hosts}) {
        const [kind, , name] = route.rest;
        const focused = kind === 'queue' || kind === 'exchange';
        const graph = graphOf(data);
        const waitedFor = data.waiting.filter(each => each.waiting.length > 0);
        return [
            title(focused ? ['Flow map of ' + kind + ' ', h('span', {class: 'name'}, exchangeName(name === 'amq.default' ? '' : name))] : 'Flow map',
                data.shortage ? chip('bad', 'all publishers wait') : waitedFor.length > 0
                    ? chip('bad', f.producersWait(waitedFor.reduce((sum, each) => sum + each.waiting.length, 0)))
                    : chip('good', 'nobody waits'),
                focused && h('div', {class: 'acts'}, h('a', {class: 'button', href: '#/flow'}, 'Show all'),
                    h('a', {class: 'button', href: pageOf(route.rest)}, 'Its page'))),
            !focused && kind === undefined && hosts.length > 1 && h('form', {class: 'filters', onsubmit: event => event.preventDefault()},
                h('label', null, h('span', null, 'Virtual host'), h('select', {
                    name: 'vhost', value: at.get('vhost') || '', onchange: event => go({vhost: event.target.value}),
                }, h('option', {value: ''}, 'all'), hosts.map(each => h('option', {value: each, key: each}, each))))),
            (waitedFor.length > 0 || data.shortage) && panel('Who waits, and why',
                data.shortage && h('p', null, chip('bad', 'all publishers wait'), ' ' + data.shortage.reason + ', for '
                    + f.duration(data.shortage.since_ms) + '.'),
                waitedFor.slice(0, 6).map(reason),
                waitedFor.length > 6 && h('p', null, h('a', {href: '#/addresses?sort=waiting_producers&reverse=true'},
                    f.plural(waitedFor.length - 6, 'address', 'addresses') + ' more'))),
            panel('From left to right', data.queues.length === 0
                ? h('p', {class: 'quiet'}, 'There is no queue' + (focused ? ' that it leads to.' : ' yet.'))
                : [
                    h('div', {class: 'map', tabindex: '0', role: 'region', 'aria-label': 'Flow map; the table below says the same'}, draw(graph)),
                    key(),
                    rest(data),
                ]),
            asTable(data, graph),
        ];
    },
};

const pageOf = ([kind, vhost, name]) => kind === 'queue' ? link('queues', vhost, name)
    : exchangeLink(vhost, name === 'amq.default' ? '' : name);

// ---- rates of producers and consumers, from two looks at what they have counted

function measure(data, state) {
    const before = state.counted || {at: 0, sums: new Map()};
    const sums = new Map();
    const seconds = (data.at - before.at) / 1000;
    const measured = (id, sum) => {
        sums.set(id, sum);
        const last = before.sums.get(id);
        return last === undefined || seconds < 0.5 || seconds > 60 || sum < last ? null : (sum - last) / seconds;
    };
    for (const each of data.producers) {
        each.rate = measured(['p', each.connection, each.producer, each.vhost, each.kind, each.address].join('\0'), each.messages);
    }
    for (const each of data.consumers) {
        each.rate = measured(['c', each.channel_details.connection_name, each.queue.vhost, each.queue.name, each.consumer_tag]
            .join('\0'), each.acknowledged);
    }
    state.counted = {at: data.at, sums};
    share(data);
}

/** Consumers that acknowledge nothing share what their queue gives out beyond what the others acknowledge: an estimate, and marked as one. */
function share({queues, consumers}) {
    for (const queue of queues) {
        const all = consumers.filter(each => each.queue.vhost === queue.vhost && each.queue.name === queue.name && !each.browses);
        const silent = all.filter(each => !each.ack_required);
        const told = all.filter(each => each.ack_required).reduce((total, each) => total + (each.rate ?? 0), 0);
        for (const each of silent) {
            each.rate = Math.max(0, queue.message_stats.deliver_get_details.rate - told) / silent.length;
            each.estimated = true;
        }
    }
}

const sum = (list, of) => list.reduce((all, each) => {
    const value = of(each);
    return value === null ? all : (all ?? 0) + value;
}, null);

/** A rate, and whether it is more than an estimate. */
const rateText = each => (each.estimated && each.rate > 0 ? '≈ ' : '') + f.rate(each.rate);

const isEstimated = members => members.some(each => each.estimated && each.rate > 0);

// ---- the graph

const COLUMNS = ['Producers', 'Exchanges', 'Queues', 'Consumers'];

function groupBy(list, of) {
    const groups = new Map();
    for (const each of list) {
        const key = of(each);
        groups.has(key) ? groups.get(key).push(each) : groups.set(key, [each]);
    }
    return groups;
}

/** Clients by connection; by user where that would be too many. */
function clients(list, connectionOf, userOf) {
    const byConnection = groupBy(list, connectionOf);
    const all = byConnection.size <= MOST_NODES
        ? [...byConnection].map(([name, members]) => ({id: 'c ' + name, name, members, connections: 1, href: link('connections', name)}))
        : [...groupBy(list, userOf)].map(([user, members]) => {
            const connections = new Set(members.map(connectionOf)).size;
            return {id: 'u ' + user, name: 'user ' + user, members, connections, href: '#/connections?sort=user'};
        });
    return all.length <= MOST_NODES ? all : [...all.slice(0, MOST_NODES - 1), {
        id: 'rest', name: f.plural(all.length - MOST_NODES + 1, 'other user'), href: '#/connections',
        members: all.slice(MOST_NODES - 1).flatMap(each => each.members),
        connections: all.slice(MOST_NODES - 1).reduce((total, each) => total + each.connections, 0),
    }];
}

const placeId = (kind, vhost, name) => kind + ' ' + vhost + '\0' + name;

function graphOf(data) {
    const producers = clients(data.producers, each => each.connection, each => each.user).map(each => ({
        ...each, column: 0, held: each.members.some(member => member.waits), rate: sum(each.members, member => member.rate),
    }));
    const consumers = clients(data.consumers, each => each.channel_details.connection_name, each => each.channel_details.user)
        .map(each => ({
            ...each, column: 3, rate: sum(each.members, member => member.rate), estimated: isEstimated(each.members),
            unacked: sum(each.members, member => member.messages_unacknowledged) ?? 0,
            slow: each.members.some(member => member.slow),
        }));
    const exchanges = data.exchanges.map(each => ({
        id: placeId('exchange', each.vhost, each.name), column: 1, name: exchangeName(each.name), about: each,
        href: link('flow', 'exchange', each.vhost, each.name === '' ? 'amq.default' : each.name),
        held: each.waiting_producers > 0, filled: each.limits === null ? null : fill(each),
    }));
    const queues = data.queues.map(each => ({
        id: placeId('queue', each.vhost, each.name), column: 2, name: each.name, about: each,
        href: link('flow', 'queue', each.vhost, each.name), held: each.waiting_producers > 0, filled: fill(each),
        stuck: each.paused || (each.messages_ready > 0 && each.consumers === 0),
        slowed: data.consumers.some(taker => taker.slow && taker.queue.vhost === each.vhost && taker.queue.name === each.name),
        flows: each.message_stats.publish_details.rate + each.message_stats.deliver_get_details.rate > 0,
    }));
    const edges = [];
    for (const from of producers) {
        for (const [to, members] of groupBy(from.members, each => placeId(each.kind, each.vhost, each.address))) {
            edges.push({from: from.id, to, rate: sum(members, each => each.rate), held: members.some(each => each.waits)});
        }
    }
    for (const each of data.routes) {
        edges.push({
            from: placeId('exchange', each.vhost, each.source), to: placeId(each.destination_type, each.vhost, each.destination),
            keys: each.routing_keys, bindings: each.bindings, rate: null, route: true,
        });
    }
    for (const to of consumers) {
        for (const [from, members] of groupBy(to.members, each => placeId('queue', each.queue.vhost, each.queue.name))) {
            edges.push({from, to: 'to ' + to.id, rate: sum(members, each => each.rate), estimated: isEstimated(members)});
        }
        to.id = 'to ' + to.id;
    }
    const nodes = [...producers, ...exchanges, ...queues, ...consumers];
    const byId = new Map(nodes.map(each => [each.id, each]));
    return {nodes, edges: edges.filter(each => byId.has(each.from) && byId.has(each.to) && each.from !== each.to), byId};
}

/** Places the nodes: queues in their order, the others beside what they are joined to. */
function place({nodes, edges, byId}) {
    const used = [0, 1, 2, 3].filter(column => column === 2 || nodes.some(each => each.column === column));
    const columns = used.map(column => nodes.filter(each => each.column === column));
    const rank = new Map();
    columns[used.indexOf(2)].forEach((each, i) => rank.set(each.id, i));
    for (const column of [1, 0, 3].filter(each => used.includes(each))) {
        const list = columns[used.indexOf(column)];
        const weight = new Map(list.map(node => {
            const joined = edges.flatMap(each => each.from === node.id ? [each.to] : each.to === node.id ? [each.from] : [])
                .filter(id => rank.has(id)).map(id => rank.get(id));
            return [node.id, joined.length ? joined.reduce((a, b) => a + b) / joined.length : nodes.length];
        }));
        list.sort((a, b) => weight.get(a.id) - weight.get(b.id));
        list.forEach((each, i) => rank.set(each.id, weight.get(each.id) + i / 1000));
    }
    const tallest = Math.max(...columns.map(each => each.length));
    const height = HEAD + tallest * (BOX.height + BOX.gap);
    const step = used.length === 1 ? 0 : (WIDTH - BOX.width - 8) / (used.length - 1);
    columns.forEach((list, i) => {
        const free = (height - HEAD) / Math.max(1, list.length);
        list.forEach((each, at) => {
            each.x = 4 + i * step;
            each.y = HEAD + at * free + (free - BOX.height) / 2;
        });
    });
    return {height, columns: used.map((column, i) => ({name: COLUMNS[column], x: 4 + i * step})), byId};
}

const WEIGHT = rate => rate === null || rate <= 0 ? 1.5 : Math.min(14, 2 + 2.4 * Math.log10(1 + rate));

function draw(graph) {
    const {height, columns, byId} = place(graph);
    const labels = [];
    const edges = graph.edges.map(each => {
        const from = byId.get(each.from);
        const to = byId.get(each.to);
        const a = {x: from.x + BOX.width, y: from.y + BOX.height / 2};
        const b = {x: to.x, y: to.y + BOX.height / 2};
        const bend = from.column === to.column ? 40 : (b.x - a.x) / 2;
        if (each.held || each.rate > 0) {
            // Nearer to its queue or exchange, where fewer edges meet, but not on it.
            const t = from.column === 0 ? 0.65 : 0.35;
            labels.push({id: each.from + '→' + each.to, held: each.held, ...at(a, b, bend, t),
                text: each.held ? '‖ waits' + (each.rate > 0 ? ' · ' + rateText(each) : '') : rateText(each)});
        }
        return h('path', {
            key: each.from + '→' + each.to,
            class: 'edge' + (each.held ? ' held' : !each.route && !(each.rate > 0) ? ' idle' : each.route ? ' idle' : ''),
            'stroke-width': (each.held ? 3 : WEIGHT(each.rate)).toFixed(1),
            d: `M${a.x.toFixed(1)} ${a.y.toFixed(1)}C${(a.x + bend).toFixed(1)} ${a.y.toFixed(1)} ${(b.x - bend).toFixed(1)} ${b.y.toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`,
        });
    });
    return h('svg', {viewBox: `0 0 ${WIDTH} ${Math.ceil(height)}`, role: 'group', 'aria-label': 'Flow map'},
        columns.map(each => h('text', {class: 'column', x: each.x, y: 18, key: each.name}, each.name)),
        h('g', {'aria-hidden': 'true', key: 'edges'}, edges),
        graph.nodes.map(node),
        h('g', {'aria-hidden': 'true', key: 'labels'}, labels.map(each => h('text', {
            key: each.id, class: 'flowing' + (each.held ? ' held' : ''), x: each.x.toFixed(1), y: (each.y + 4).toFixed(1),
            'text-anchor': 'middle',
        }, each.text))));
}

/** A point of the curve. */
function at(a, b, bend, t) {
    const of = (p, q, r, s) => (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t ** 2 * r + t ** 3 * s;
    return {x: of(a.x, a.x + bend, b.x - bend, b.x), y: of(a.y, a.y, b.y, b.y)};
}

/** What stands in a box: its second line, its mark, and both in words. */
function saying(each) {
    if (each.column === 0) {
        const product = each.members[0].product;
        return {
            more: each.connections > 1 ? f.plural(each.connections, 'connection') : [each.members[0].user, product].filter(Boolean).join(' · '),
            mark: each.held ? '‖ waits' : '',
            right: each.rate === null ? '' : f.rate(each.rate),
        };
    }
    if (each.column === 3) {
        return {
            more: [each.connections > 1 ? f.plural(each.connections, 'connection') : each.members[0].channel_details.user,
                f.short(each.unacked) + ' unacked'].join(' · '),
            mark: each.slow ? '▲ too slow' : '',
            right: each.rate === null ? '' : rateText(each),
        };
    }
    const mark = each.held ? '‖ ' + f.producersWait(each.about.waiting_producers)
        : each.about.paused ? '○ paused' : each.stuck ? '▲ no consumer' : '';
    if (each.column === 1) {
        return {more: each.about.type + (each.filled ? ' · ' + f.percent(each.filled.share) + ' full' : ''), mark, right: ''};
    }
    return {
        more: f.short(each.about.messages) + ' messages' + (each.filled ? ' · ' + f.percent(each.filled.share) + ' full' : ''),
        mark, right: f.rate(each.about.message_stats.publish_details.rate),
    };
}

// As console.css has them.
const LABEL = '600 13px';
const MORE = '400 12px';
const MARK = '700 12px';

const ruler = document.createElement('canvas').getContext('2d');

/** In the picture's units, of a text in a weight and size. */
function widthOf(text, font) {
    ruler.font = font + ' ' + getComputedStyle(document.body).fontFamily;
    return ruler.measureText(text).width;
}

/** As much of a text as has room, with … in place of the rest. */
function fit(text, width, font, cut = f.cut) {
    if (widthOf(text, font) <= width) {
        return text;
    }
    let fits = 3;
    let most = text.length;
    while (fits < most) {
        const middle = Math.ceil((fits + most) / 2);
        if (widthOf(cut(text, middle), font) <= width) {
            fits = middle;
        } else {
            most = middle - 1;
        }
    }
    return cut(text, fits);
}

function node(each) {
    const {more, mark, right} = saying(each);
    const client = each.column === 0 || each.column === 3;
    const words = [COLUMNS[each.column].slice(0, -1), each.name + ':', more + (right ? ', ' + right : '') + (mark ? ', ' + mark.slice(2) : '')
        + (each.filled ? ', uses ' + fillText(each.filled) : '')
        + (each.estimated ? '; ≈ is an estimate: it acknowledges nothing, so it gets its share of what the queue gives out' : '')].join(' ');
    const inside = BOX.width - 24;
    const beside = client ? (right ? inside - widthOf(right, MORE) - 8 : inside) : each.filled ? inside - TANK - 8 : inside;
    const name = client ? fit(short(each), inside, LABEL, f.cutMiddle) : fit(each.name, inside, LABEL);
    return h('a', {
        key: each.id, href: each.href, 'aria-label': words, tabindex: '0',
        class: each.held ? 'held' : each.stuck || each.slow ? 'stuck' : null,
    },
        h('title', null, each.name + '\n' + words),
        h('rect', {class: 'box', x: each.x, y: each.y, width: BOX.width, height: BOX.height, rx: client ? 16 : 6}),
        h('text', {class: 'label', x: each.x + 12, y: each.y + 20}, name),
        h('text', {class: 'more', x: each.x + 12, y: each.y + 37}, fit(more, inside, MORE)),
        mark && h('text', {class: 'mark', x: each.x + 12, y: each.y + 54, key: 'mark'}, fit(mark, beside, MARK)),
        client && right && h('text', {class: 'more', x: each.x + BOX.width - 12, y: each.y + 53, 'text-anchor': 'end', key: 'right'}, right),
        each.filled && h('rect', {class: 'tank', key: 'tank', x: each.x + BOX.width - 12 - TANK, y: each.y + 46, width: TANK, height: 8, rx: 4}),
        each.filled && h('rect', {
            class: 'level ' + mood(each.filled.share), key: 'level', x: each.x + BOX.width - 12 - TANK, y: each.y + 46, height: 8, rx: 4,
            width: (TANK * Math.min(1, each.filled.share)).toFixed(1),
        }));
}

/** `127.0.0.1:5000 -> 127.0.0.1:5672 name` is told by its name, or by where it comes from. */
function short(each) {
    const parts = /^(\S+) -> \S+(?: (.+))?$/.exec(each.name);
    return parts ? (parts[2] ? parts[2] + ' ' + parts[1].replace(/^.*:/, ':') : parts[1]) : each.name;
}

const key = () => h('ul', {class: 'key', 'aria-hidden': 'true'},
    h('li', null, h('svg', {viewBox: '0 0 30 10', width: '30', height: '10', class: 'map-key'},
        h('path', {class: 'line s1', d: 'M1 5H29'})), 'messages pass; the wider the more'),
    h('li', null, '‖ waits: there is no room for what a producer sends'),
    h('li', null, '▲ nobody takes the messages, or too slowly'),
    h('li', null, 'a bar: how much of its limit is used'),
    h('li', null, 'without a number: nothing passes, or it is not known yet; what passes a binding is not measured'),
    h('li', null, '≈ estimated, not measured: consumers that acknowledge nothing share what their queue gives out'));

function rest({rest: others, left_out: leftOut}) {
    const more = [[leftOut.producers, 'producer'], [leftOut.consumers, 'consumer']].filter(([count]) => count > 0)
        .map(([count, what]) => f.plural(count, what));
    const also = more.length > 0 && 'Not shown of those beside them: ' + more.join(' and ') + '. ';
    if (others.queues === 0) {
        return also && h('p', {class: 'quiet'}, also);
    }
    const stats = others.message_stats;
    return h('p', {class: 'quiet', id: 'left-out'}, 'Shown are the queues that producers wait for, then the fullest and the busiest. Not shown: '
        + f.plural(others.queues, 'queue') + ' with ' + f.plural(others.messages, 'message') + ', in '
        + f.rate(stats.publish_details.rate) + ', out ' + f.rate(stats.deliver_get_details.rate)
        + (others.waiting_queues > 0 ? '; producers wait for ' + f.count(others.waiting_queues) + ' of them' : '') + '. ', also,
    h('a', {href: '#/queues?sort=waiting_producers&reverse=true'}, 'All queues'));
}

// ---- the same as text

function asTable(data, {edges, byId}) {
    const from = id => edges.filter(each => each.to === id).map(edge => ({edge, node: byId.get(edge.from)}));
    const to = id => edges.filter(each => each.from === id).map(edge => ({edge, node: byId.get(edge.to)}));
    const names = list => list.length === 0 ? h('span', {class: 'quiet'}, 'none') : h('ul', {class: 'plain-list'},
        list.map(({edge, node: each}) => h('li', {key: edge.from + edge.to},
            h('a', {href: each.href}, each.column === 0 || each.column === 3 ? short(each) : each.name),
            edge.rate > 0 && ' ' + rateText(edge), edge.held && [' ', chip('bad', 'waits')])));
    const rows = data.queues.map(each => byId.get(placeId('queue', each.vhost, each.name)));
    return panel('The same as a table', table({
        caption: 'Flow by queue', rows, key: each => each.id, empty: 'No queue.',
        columns: [
            {name: 'Queue', slim: true, cell: each => [h('a', {href: each.href}, each.name),
                each.about.vhost !== '/' && h('span', {class: 'quiet'}, ' in ' + each.about.vhost)]},
            {name: 'State', cell: each => each.held ? chip('bad', f.producersWait(each.about.waiting_producers))
                : each.about.paused ? chip('calm', 'paused') : each.stuck ? chip('warn', 'no consumer')
                    : each.slowed ? chip('warn', 'consumer too slow') : each.flows ? chip('good', 'flows') : chip('calm', 'nothing passes')},
            {name: 'From', cell: each => names(from(each.id))},
            {name: 'Before that', cell: each => names(from(each.id).filter(other => other.node.column === 1)
                .flatMap(other => from(other.node.id)))},
            {name: 'To', cell: each => names(to(each.id))},
            {name: 'In', number: true, cell: each => f.rate(each.about.message_stats.publish_details.rate)},
            {name: 'Out', number: true, cell: each => f.rate(each.about.message_stats.deliver_get_details.rate)},
            {name: 'Messages', number: true, cell: each => f.count(each.about.messages)},
            {name: 'Limits', cell: each => each.filled ? fillText(each.filled) : fillMeter(each.about, true)},
        ],
    }));
}
