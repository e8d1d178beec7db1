// Why producers wait, in words: which limit of which address, since when, and who could make room.

import {h} from '../dom.js';
import * as f from '../format.js';
import {chip, exchangeName, fill, fillText, link, panel, POLICIES} from '../parts.js';

const MOST = 5;

export const flowLink = each => each.kind === 'virtual host'
    ? link('flow', 'vhost', each.vhost, '-')
    : link('flow', each.kind, each.vhost, each.address === '' ? 'amq.default' : each.address);

/** Who must move first, so that there is room in an address, and where to have that done: an item for each queue that holds its messages. */
export function whoMakesRoom(address) {
    const holders = address.queues.filter(each => all(each) > 0).sort((a, b) => all(b) - all(a));
    if (holders.length === 0) {
        return [h('li', null, 'No queue holds messages of it now: room comes as messages that are on their way arrive.')];
    }
    const told = holders.slice(0, MOST).map(queue => h('li', {key: queue.name},
        'Queue ', h('a', {href: link('queues', address.vhost, queue.name)}, queue.name), ...mover(queue)));
    if (holders.length > MOST) {
        told.push(h('li', {key: '…'}, 'And ' + f.plural(holders.length - MOST, 'queue') + ' more.'));
    }
    return told;
}

function mover(queue) {
    if (queue.paused) {
        return [' is paused by an operator: it must be resumed first.'];
    }
    if (queue.consumers.length === 0) {
        return [' has no consumer: nobody takes its ' + f.plural(all(queue), 'message') + '. Start one, or move or purge them.'];
    }
    const first = [...queue.consumers].sort((a, b) =>
        b.slow - a.slow || b.messages_unacknowledged - a.messages_unacknowledged)[0];
    const who = ['consumer ' + (first.consumer_tag || 'without a name') + ' of ', h('a', {href: link('connections', first.connection)},
        first.connection)];
    if (first.acknowledged_per_second === 0 && first.messages_unacknowledged > 0) {
        return [': ', ...who, ' must move first. It holds ' + f.plural(first.messages_unacknowledged, 'message')
            + ' and acknowledges none' + (first.slow ? '; it is too slow by the rule' : '')
            + '. If it hangs, close its connection: they go back to the queue.'];
    }
    const rate = queue.consumers.reduce((sum, each) => sum + each.acknowledged_per_second, 0);
    return [': its ' + f.plural(queue.consumers.length, 'consumer') + ' acknowledge' + (queue.consumers.length === 1 ? 's ' : ' ')
        + f.rate(rate), ...(first.messages_unacknowledged > 0 ? ['; ', ...who, ' holds most, '
        + f.plural(first.messages_unacknowledged, 'message')] : []), '.'];
}

/** How its limit is raised, where that is what somebody waits for, and its name needs no quotes of a shell. */
function moreRoom({waiting, address, kind}) {
    const limit = /^(max|page)-[a-z-]+/.exec(waiting[0]?.limit ?? '')?.[0];
    return limit && kind !== 'virtual host' && /^[\w.-]+$/.test(address) && h('li', {key: 'more room'},
        'Or give it more room, until the configuration is read again: ', h('code', null, 'sluicemq limit ' + address + ' ' + limit + '=…'));
}

const all = queue => queue.messages_ready + queue.messages_unacknowledged + queue.messages_delayed;

export const addressName = each => each.kind === 'virtual host' ? 'virtual host ' + each.vhost
    : each.kind + ' ' + exchangeName(each.address);

/** One address that somebody waits for, or that is full. */
export function reason(address) {
    const {waiting} = address;
    return h('article', {class: 'reason', key: address.kind + ' ' + address.vhost + ' ' + address.address},
        h('h3', null, waiting.length > 0 ? chip('bad', f.producersWait(waiting.length)) : chip('warn', 'full'), ' ',
            h('a', {href: flowLink(address)}, addressName(address)),
            address.vhost !== '/' && address.kind !== 'virtual host' && h('span', {class: 'quiet'}, ' in ' + address.vhost)),
        h('p', null, 'It uses ' + fillText(fill(address)) + ' (' + f.bytes(address.used_bytes) + ', '
            + f.plural(address.used_messages, 'message') + '). When it is full, '
            + (POLICIES[address.limits.policy] || address.limits.policy) + '.'),
        waiting.length > 0 && h('ul', null, waiting.slice(0, MOST).map(each => h('li', {key: each.connection + each.producer},
            h('a', {href: link('connections', each.connection)}, each.connection), ', ' + each.producer + ', has waited '
                + f.duration(each.waiting_ms) + ' for room (' + each.limit + ')'
                + (each.parked_messages > 0 ? ', with ' + f.plural(each.parked_messages, 'message') + ' ('
                    + f.bytes(each.parked_bytes) + ')' : ', for credit')
                + (waiting.length > 1 ? '; place ' + each.position + ' of ' + waiting.length : '') + '.')),
            waiting.length > MOST && h('li', {key: 'more'}, 'And ' + f.plural(waiting.length - MOST, 'producer') + ' more.')),
        h('div', {class: 'room'}, h('b', null, 'To make room:'), h('ul', null, whoMakesRoom(address), moreRoom(address))));
}

/** All that waits; nothing if nothing does. */
export function waitingPanel(why, overview) {
    const waitedFor = why.addresses.filter(each => each.waiting.length > 0);
    const shown = [...waitedFor, ...why.addresses.filter(each => each.waiting.length === 0)];
    const shortage = why.shortage || overview?.shortage;
    if (shown.length === 0 && !shortage) {
        return null;
    }
    return panel('Who waits, and why',
        shortage && h('p', null, chip('bad', 'all publishers wait'), ' ' + shortage.reason
            + (why.shortage ? ', for ' + f.duration(why.shortage.since_ms) : '') + '.'),
        shown.slice(0, MOST).map(reason),
        shown.length + why.left_out > MOST && h('p', null, h('a', {href: '#/addresses?sort=waiting_producers&reverse=true'},
            f.plural(shown.length + why.left_out - MOST, 'address', 'addresses') + ' more')));
}
