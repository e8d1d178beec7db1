// What several pages are made of.

import {h} from './dom.js';
import * as f from './format.js';
import {ApiFailure} from './api.js';

/** The address of a page within the console, of names that may hold anything. */
export const link = (...segments) =>
    '#/' + segments.map(each => encodeURIComponent(String(each).toWellFormed())).join('/');

export const exchangeLink = (vhost, name) => link('exchanges', vhost, name === '' ? 'amq.default' : name);

export const exchangeName = name => name === '' ? '(default exchange)' : name;

/** A heading of the page, which has the focus after a change of page. */
export const title = (text, ...more) => h('div', {class: 'title'}, h('h1', {tabindex: '-1'}, text), ...more);

let panels = 0;

export function panel(heading, ...content) {
    return h('section', {class: 'panel', 'aria-label': heading}, h('h2', null, heading), ...content);
}

/** What stands in the place of buttons for somebody who may only look. */
export const mayOnlyLook = () => h('span', {class: 'quiet'}, 'To act, an operator\'s role is needed.');

/** Terms and what they are; null for a row that is not there. */
export const facts = rows => h('dl', {class: 'facts'}, rows.filter(Boolean).map(([term, ...what]) =>
    h('div', null, h('dt', null, term), h('dd', null, ...what))));

const MARKS = {good: '●', warn: '▲', bad: '■', calm: '○'};

/** A state in words, with a colour and a sign for it. */
export const chip = (mood, text) => h('span', {class: 'chip ' + mood}, h('span', {'aria-hidden': 'true'}, MARKS[mood]), ' ', text);

export function state(word) {
    const mood = {running: 'good', flow: 'warn', blocked: 'bad', paused: 'calm', closing: 'calm'}[word] || 'calm';
    return chip(mood, {flow: 'producers wait'}[word] || word);
}

/** The state of a connection or a channel, and what it waits for. */
export const waitState = each => [
    each.state === 'flow' ? chip('warn', 'waits') : each.state === 'blocked' ? chip('bad', 'waits, blocked') : state(each.state),
    each.waits_for && h('span', {class: 'quiet'}, ' for ' + each.waits_for),
];

/** What a policy does when the limit is reached. */
export const POLICIES = {
    block: 'producers wait',
    page: 'messages move to the disk',
    drop: 'new messages are dropped',
    fail: 'new messages are refused',
    ring: 'the oldest messages are dropped',
};

/** The share of its tightest limit that something uses; null without a limit. */
export function fill(each) {
    const {limits} = each;
    const shares = [];
    const of = (used, limit, unit) => {
        if (limit !== null && limit !== undefined) {
            shares.push({share: limit === 0 ? 1 : used / limit, used, limit, unit});
        }
    };
    if (limits && limits.policy === 'page') {
        of(each.used_bytes, limits.page_limit_bytes, 'bytes');
    } else if (limits) {
        of(each.used_bytes, limits.max_size_bytes, 'bytes');
        of(each.used_messages, limits.max_messages, 'messages');
    }
    return shares.sort((a, b) => b.share - a.share)[0] || null;
}

export const isLimited = limits => [limits.max_size_bytes, limits.max_messages, limits.page_limit_bytes].some(each => each !== null);

export const isFull = each => (fill(each)?.share ?? 0) >= 0.95;

export const mood = share => share >= 0.95 ? 'bad' : share >= 0.75 ? 'warn' : 'good';

export const fillText = filled => filled === null ? 'no limit' : f.percent(filled.share) + ' of '
    + (filled.unit === 'bytes' ? f.bytes(filled.limit) : f.plural(filled.limit, 'message'));

export function meter(share, text, label, shown = text) {
    return h('span', {class: 'meter ' + mood(share)},
        h('span', {class: 'bar', role: 'img', 'aria-label': (label ? label + ': ' : '') + text},
            h('span', {style: {width: Math.min(100, Math.max(0, share * 100)).toFixed(1) + '%'}})),
        h('span', {class: 'much', 'aria-hidden': 'true', title: text}, shown));
}

/** @param brief whether the limit is left out, where there is little room */
export function fillMeter(each, brief = false) {
    const filled = fill(each);
    return filled === null ? h('span', {class: 'quiet'}, ownLimits(each.arguments, brief) || 'no limit')
        : meter(filled.share, fillText(filled), 'used', brief ? f.percent(filled.share) : undefined);
}

export function limitsInWords(limits) {
    const parts = [];
    if (limits.max_size_bytes !== null) {
        parts.push(f.bytes(limits.max_size_bytes) + (limits.policy === 'page' ? ' in memory' : ''));
    }
    if (limits.max_messages !== null) {
        parts.push(f.plural(limits.max_messages, 'message') + (limits.policy === 'page' ? ' in memory' : ''));
    }
    if (limits.page_limit_bytes !== null) {
        parts.push(f.bytes(limits.page_limit_bytes) + ' with the disk');
    }
    return parts.length === 0 ? 'none' : parts.join(', ') + '; then ' + (POLICIES[limits.policy] || limits.policy);
}

const WHEN_OWN = {
    'drop-head': 'the oldest are dropped', 'reject-publish': 'new ones are refused', 'reject-publish-dlx': 'new ones become dead letters',
};

/** What a queue was declared to hold at most, beside the limits of its address; null for no such limit. */
export function ownLimits(args, brief = false) {
    const most = args?.['x-max-length'];
    const bytes = args?.['x-max-length-bytes'];
    const parts = [most !== undefined && f.plural(most, 'message'), bytes !== undefined && f.bytes(bytes)].filter(Boolean);
    return parts.length === 0 ? null : 'its own: ' + parts.join(', ') + (brief ? '' : '; then '
        + (WHEN_OWN[args['x-overflow'] ?? 'drop-head'] || args['x-overflow']));
}

/** What is not well with a queue that its state doesn't say. */
export const troubles = each => [
    each.messages_ready > 0 && each.consumers === 0 && chip('warn', 'no consumer'),
    each.consumer_details?.some(consumer => consumer.slow) && chip('warn', 'a consumer is too slow'),
];

/** Arguments, where there are any. */
export const argumentsOf = (args, none = 'none') => Object.keys(args).length === 0 ? h('span', {class: 'quiet'}, none)
    : h('ul', {class: 'plain-list'}, Object.entries(args).map(([name, value]) => h('li', {key: name},
        h('code', null, name + ' = ' + (typeof value === 'string' ? value : JSON.stringify(value))))));

// ---- tables

/**
 * A table. Columns: {name, cell(row), sort?, number?, wide? (left out where there is little room), slim? (a first one that needs little)}.
 *
 * @param order {by, reverse, change(by)} if rows can be sorted
 */
export function table({caption, columns, rows, key, order, empty}) {
    if (rows.length === 0) {
        return h('p', {class: 'quiet'}, empty || 'None.');
    }
    return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table: ' + caption},
        h('table', null,
            h('caption', {class: 'unseen'}, caption),
            h('thead', null, h('tr', null, columns.map(column => head(column, order)))),
            h('tbody', null, rows.map((row, i) => h('tr', {key: key ? key(row) : String(i)},
                columns.map((column, at) => h(at === 0 ? 'th' : 'td', {
                    scope: at === 0 ? 'row' : null,
                    class: classes(column),
                }, column.cell(row))))))));
}

const classes = column => [column.number && 'number', column.wide && 'wide', column.slim && 'slim'].filter(Boolean).join(' ') || null;

function head(column, order) {
    if (!order || !column.sort) {
        return h('th', {scope: 'col', class: classes(column)}, column.name);
    }
    const on = order.by === column.sort;
    return h('th', {
        scope: 'col',
        class: classes(column),
        'aria-sort': on ? (order.reverse ? 'descending' : 'ascending') : null,
    }, h('button', {type: 'button', class: 'sort', onclick: () => order.change(column.sort)},
        column.name, h('span', {'aria-hidden': 'true', class: 'arrow'}, on ? (order.reverse ? ' ▼' : ' ▲') : '')));
}

// ---- lists that the server pages

const PAGE_SIZE = 50;

/** What a list's address says of it: vhost, name, page, sort. */
export function listQuery(at, standard) {
    const sort = at.get('sort') || standard.sort;
    return {
        page: Math.max(1, parseInt(at.get('page'), 10) || 1),
        page_size: PAGE_SIZE,
        name: at.get('name') || '',
        sort,
        sort_reverse: at.has('sort') ? at.get('reverse') === 'true' : standard.reverse,
    };
}

/** The order of a table that goes with it. Numbers begin with the largest, names with the first. */
export function listOrder(at, go, standard, texts) {
    const now = listQuery(at, standard);
    return {
        by: now.sort,
        reverse: now.sort_reverse,
        change: by => go({
            sort: by,
            reverse: String(by === now.sort ? !now.sort_reverse : !texts.includes(by)),
            page: '',
        }),
    };
}

/** The field for a part of a name, and the choice of a virtual host. */
export function filters(at, go, hosts, label) {
    return h('form', {class: 'filters', role: 'search', onsubmit: event => event.preventDefault()},
        h('label', null, h('span', null, label), h('input', {
            type: 'search', name: 'name', value: at.get('name') || '', autocomplete: 'off', spellcheck: 'false',
            oninput: event => later(() => go({name: event.target.value, page: ''}, true)),
        })),
        hosts && hosts.length > 1 && h('label', null, h('span', null, 'Virtual host'), h('select', {
            name: 'vhost', value: at.get('vhost') || '', onchange: event => go({vhost: event.target.value, page: ''}),
        }, h('option', {value: ''}, 'all'), hosts.map(each => h('option', {value: each, key: each}, each)))));
}

let timer;

function later(action) {
    clearTimeout(timer);
    timer = setTimeout(action, 300);
}

export function pager(list, go, things) {
    const {page, page_count: pages, filtered_count: found, total_count: all} = list;
    const first = (page - 1) * list.page_size + 1;
    return h('nav', {class: 'pager', 'aria-label': 'Pages'},
        h('button', {type: 'button', disabled: page <= 1, onclick: () => go({page: page - 1})}, '← Previous'),
        h('span', null, found === 0 ? 'no' : f.count(first) + '–' + f.count(first + list.item_count - 1) + ' of ',
            found > 0 && f.count(found), ' ', things, found !== all && ' (of ' + f.count(all) + ')'),
        h('button', {type: 'button', disabled: page >= pages, onclick: () => go({page: page + 1})}, 'Next →'));
}

// ---- dialogs

let dialogShown = null;
let whenRefusedLate = () => {};

/** What is to be done with a refusal that comes when its dialog is closed already. */
export function onLateRefusal(action) {
    whenRefusedLate = action;
}

/** Whatever a dialog asks belongs to the page below it, and goes with that. */
export function closeDialog() {
    dialogShown?.close();
    dialogShown = null;
}

/**
 * Asks before something is done, and says what has come of it. The dialog stays until it is closed if it went wrong.
 *
 * @param fields [{name, label, type?, value?, options?, required?, rows?, hint?}]
 * @param act(values) does it, and gives what to say when it is done
 * @param done(text) is told
 */
export function ask({heading, text, fields = [], button, danger, act, done}) {
    const dialog = document.createElement('dialog');
    const make = (tag, attributes, ...children) => {
        const node = document.createElement(tag);
        Object.entries(attributes || {}).forEach(([name, value]) => {
            if (value !== undefined && value !== null && value !== false) {
                node.setAttribute(name, value === true ? '' : value);
            }
        });
        node.append(...children.filter(Boolean));
        return node;
    };
    const id = 'dialog-' + (++panels);
    const error = make('p', {class: 'error', role: 'alert'});
    const cancel = make('button', {type: 'button'}, 'Cancel');
    const submit = make('button', {type: 'submit', class: danger ? 'danger' : 'primary'}, button);
    const inputs = fields.map(field => {
        const input = field.options
            ? make('select', {name: field.name}, ...field.options.map(([value, label]) => make('option', {value}, label)))
            : make(field.rows ? 'textarea' : 'input', {
                name: field.name, type: field.rows ? null : field.type || 'text', rows: field.rows,
                required: field.required, min: field.min, max: field.max, autocomplete: 'off', spellcheck: 'false',
            });
        if (field.value !== undefined) {
            input.value = field.value;
        }
        return make('label', {class: 'field'}, make('span', {}, field.label), input,
            field.hint && make('small', {}, field.hint));
    });
    const form = make('form', {method: 'dialog'},
        make('h2', {id}, heading), text && make('p', {}, text), ...inputs, error,
        make('div', {class: 'buttons'}, cancel, submit));
    dialog.setAttribute('aria-labelledby', id);
    dialog.append(form);
    cancel.onclick = () => dialog.close();
    form.onsubmit = async event => {
        event.preventDefault();
        submit.disabled = true;
        error.textContent = '';
        try {
            const said = await act(Object.fromEntries(new FormData(form)));
            dialog.close();
            done(said);
        } catch (e) {
            error.textContent = refusal(e);
            if (!dialog.open) {
                whenRefusedLate(heading + ': ' + error.textContent);
            }
        } finally {
            submit.disabled = false;
        }
    };
    const before = document.activeElement;
    dialog.onclose = () => {
        dialog.remove();
        if (dialogShown === dialog) {
            dialogShown = null;
        }
        if (before && before.isConnected) {
            before.focus({preventScroll: true});
        }
    };
    closeDialog();
    dialogShown = dialog;
    document.body.append(dialog);
    dialog.showModal();
}

/** Why something was not done. */
export function refusal(failure) {
    if (!(failure instanceof ApiFailure)) {
        console.error(failure);
        return 'A defect of the console: ' + failure.message;
    }
    return failure.status === 0
        ? 'No answer: ' + failure.message + '. Whether it was done is not known.'
        : 'Refused: ' + failure.message + ' (' + failure.status + ')';
}

// ---- messages

/** How many bytes of a body are there to be shown. */
const shownBytes = ({payload, payload_encoding: encoding}) => encoding === 'base64'
    ? payload.length / 4 * 3 - (/=*$/.exec(payload)[0].length) : new TextEncoder().encode(payload).length;

/** Messages as the API shows them. */
export function messages(list) {
    return h('ol', {class: 'messages'}, list.map(message => h('li', null,
        h('div', {class: 'quiet'},
            'from ' + exchangeName(message.exchange), message.routing_key !== '' && ' · key ' + message.routing_key,
            ' · ' + f.bytes(message.payload_bytes), message.redelivered && ' · redelivered',
            message.published && ' · published ' + f.moment(message.published)),
        h('pre', {tabindex: '0', 'aria-label': 'body'}, message.payload,
            shownBytes(message) < message.payload_bytes && '…\n(the first ' + f.bytes(shownBytes(message)) + ')',
            message.payload_encoding === 'base64' && '\n(base64)'),
        h('details', null, h('summary', null, 'Properties'),
            h('pre', {tabindex: '0', 'aria-label': 'properties'}, JSON.stringify(message.properties, null, 2))))));
}
