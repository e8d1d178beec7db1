// One queue: what it is and holds, who takes from it, who waits for it, and what can be done.

import {h, say} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {
    argumentsOf, ask, chip, exchangeLink, exchangeName, facts, fillMeter, isLimited, limitsInWords, link, mayOnlyLook, messages,
    ownLimits, panel, state, table, title, troubles,
} from '../parts.js';
import {ACTS, getFields, getMessages} from './acts.js';
import {reason} from './why.js';

export const queue = {
    title: ({rest}) => 'Queue ' + rest[1],

    async load({route}, signal) {
        const [vhost, name] = route.rest;
        const [about, bindings, addresses] = await Promise.all([
            api.get(api.path('queues', vhost, name), signal),
            api.get(api.path('queues', vhost, name, 'bindings'), signal),
            api.get(api.path('addresses', vhost, name), signal),
        ]);
        return {about, bindings, address: addresses.find(each => each.kind === 'queue')};
    },

    view({about, bindings, address}, context) {
        const rates = about.message_stats;
        return [
            title(['Queue ', h('span', {class: 'name'}, about.name)], state(about.state), troubles(about)),
            acts(about, context),
            address && address.waiting.length > 0 && panel('Producers that wait', reason(address)),
            h('ul', {class: 'tiles'},
                tile('Ready', f.short(about.messages_ready), f.bytes(about.message_bytes_ready)),
                tile('Unacknowledged', f.short(about.messages_unacknowledged), f.bytes(about.message_bytes_unacknowledged)),
                tile('In', f.rate(rates.publish_details.rate), f.short(rates.publish) + ' arrived in all'),
                tile('Out', f.rate(rates.deliver_get_details.rate), f.short(rates.deliver_get) + ' in all'),
                tile('Acknowledged', f.rate(rates.ack_details.rate), f.short(rates.ack) + ' in all'),
                tile('Oldest', f.duration(about.oldest_message_age_ms), about.messages_ready === 0 ? 'no ready message'
                    : about.oldest_message_age_ms === null ? 'waits in the log, not read yet' : 'ready message')),
            h('div', {class: 'two'},
                panel('Limits', facts([
                    ['Fill', fillMeter(about)],
                    ['Limits', limitsInWords(about.limits)],
                    ownLimits(about.arguments) && ['As declared', ownLimits(about.arguments)],
                    ['Used', f.bytes(about.used_bytes) + ', ' + f.plural(about.used_messages, 'message')],
                    address && ['Lent as credit', f.bytes(address.credit_bytes) + ', ' + f.plural(address.credit_messages, 'message')],
                    address && isLimited(about.limits) && ['Most at a time', f.bytes(address.highest_bytes)],
                    ['Dropped', f.count(about.dropped_messages)],
                    ['Refused', f.count(about.refused_messages)],
                    ['Producers that wait', f.count(about.waiting_producers)],
                    rule(address) && ['A consumer is too slow', rule(address)],
                ])),
                panel('Facts', facts([
                    ['Virtual host', about.vhost],
                    ['Kept', about.durable ? 'durable' : 'until the broker ends'],
                    about.auto_delete && ['Deleted', 'when its last consumer goes'],
                    about.exclusive && ['Exclusive', 'to one connection'],
                    about.owner && ['Owner', about.owner],
                    ['Arguments', argumentsOf(about.arguments)],
                    ['In memory', f.plural(about.messages_ram, 'message') + ', ' + f.bytes(about.memory)],
                    ['In the log only', f.plural(about.messages_in_log_only, 'message')],
                    ['Delayed', f.count(about.messages_delayed)],
                ]))),
            found(context),
            panel('Consumers', table({
                caption: 'Consumers', rows: about.consumer_details, empty: 'Nobody takes its messages.',
                key: each => each.channel_details.connection_name + ' ' + each.consumer_tag,
                columns: [
                    {name: 'Consumer', cell: each => each.consumer_tag || '(no name)'},
                    {name: 'Pace', cell: each => each.slow ? chip('bad', 'too slow for ' + f.duration(each.slow_ms))
                        : each.browses ? chip('calm', 'only looks')
                            : each.prefetch_count > 0 && each.messages_unacknowledged >= each.prefetch_count
                                ? chip('warn', 'must acknowledge to get more') : chip('good', 'may get more')},
                    {name: 'Connection', cell: each => h('a', {href: link('connections', each.channel_details.connection_name)},
                        each.channel_details.connection_name)},
                    {name: 'User', wide: true, cell: each => each.channel_details.user},
                    {name: 'Unacked', number: true, cell: each => f.count(each.messages_unacknowledged)
                        + (each.prefetch_count ? ' of ' + f.count(each.prefetch_count) : '')},
                    {name: 'Acked', number: true, cell: each => f.count(each.acknowledged)},
                ],
            })),
            panel('Bindings', table({
                caption: 'Bindings', rows: bindings, key: each => each.source + ' ' + each.properties_key,
                columns: [
                    {name: 'From', cell: each => h('a', {href: exchangeLink(each.vhost, each.source)}, exchangeName(each.source))},
                    {name: 'Key', cell: each => h('code', null, each.routing_key)},
                    {name: 'Arguments', wide: true, cell: each => argumentsOf(each.arguments, '')},
                ],
            })),
        ];
    },
};

const TOO_SLOW = {
    delete: 'it is cut', cycle: 'the oldest messages make room for new ones', flow: 'producers wait', notify: 'it is told of',
};

/** When a consumer is too slow, and what happens then; null without a rule. */
function rule(address) {
    const of = address?.queues[0]?.slow_consumer_rule;
    return of && [
        of.message_count !== null && 'with more than ' + f.plural(of.message_count, 'message'),
        of.depth_bytes !== null && 'with more than ' + f.bytes(of.depth_bytes),
        of.message_age_ms !== null && 'with a message older than ' + f.duration(of.message_age_ms),
        of.messages_per_second !== null && 'below ' + f.rate(of.messages_per_second),
    ].filter(Boolean).join(', or ') + '; then ' + (TOO_SLOW[of.policy] || of.policy);
}

const tile = (name, value, more) => h('li', null,
    h('span', {class: 'name'}, name), h('b', null, value), h('span', {class: 'quiet'}, more));

function acts(about, context) {
    const map = h('a', {class: 'button', href: link('flow', 'queue', about.vhost, about.name)}, 'On the flow map');
    if (!context.mayAct) {
        return h('div', {class: 'acts'}, map, mayOnlyLook());
    }
    const act = (name, text, danger) => h('button', {
        type: 'button', class: danger ? 'danger' : null,
        onclick: () => ask({
            ...ACTS[name](about),
            done: said => context.done(said, name === 'delete' ? '#/queues' : undefined),
        }),
    }, text);
    return h('div', {class: 'acts', role: 'group', 'aria-label': 'Actions'}, map,
        act('publish', 'Publish…'),
        h('button', {type: 'button', onclick: () => look(about, context)}, 'Look at messages…'),
        act('move', 'Move…'),
        act('pause', about.paused ? 'Resume…' : 'Pause…'),
        act('purge', 'Purge…', true),
        act('delete', 'Delete…', true));
}

function look(about, context) {
    ask({
        heading: 'Messages of ' + about.name, button: 'Show', fields: getFields,
        act: async values => {
            const list = await getMessages(about, values);
            context.state.messages = {list, mode: values.mode, at: Date.now()};
            return list.length === 0 ? 'There is no ready message.' : 'Shows ' + f.plural(list.length, 'message') + '.';
        },
        done: said => {
            context.done(said);
            document.getElementById('found')?.focus();
        },
    });
}

function found({state: kept, draw}) {
    if (!kept.messages) {
        return null;
    }
    const {list, at} = kept.messages;
    return h('section', {class: 'panel', id: 'found', tabindex: '-1', key: 'found', 'aria-label': 'Messages'},
        h('h2', null, f.plural(list.length, 'message') + ' at ' + f.clock(at)),
        messages(list),
        h('button', {
            type: 'button', onclick: () => {
                kept.messages = null;
                say('Messages closed.');
                draw();
            },
        }, 'Close'));
}
