// What has happened of late.

import {h} from '../dom.js';
import * as api from '../api.js';
import * as f from '../format.js';
import {panel, table, title} from '../parts.js';

/** An act says what was done, and its subject to what. */
const words = each => each.text + (each.subject === '' || each.text.includes(each.subject) ? '' : ': ' + each.subject);

const KINDS = {
    connection_opened: 'connection opened',
    connection_closed: 'connection closed',
    connection_forced: 'connection ended',
    slow_consumer: 'slow consumer',
    limit_reached: 'limit reached',
    shortage: 'shortage',
    reloaded: 'configuration',
    act: 'operator',
};

export const eventTable = rows => table({
    caption: 'Events, the latest first', rows, empty: 'Nothing yet.',
    key: each => each.at + each.kind + each.subject + each.text,
    columns: [
        {name: 'At', slim: true, cell: each => h('time', {datetime: new Date(each.at).toISOString(), class: 'nowrap'}, f.moment(each.at))},
        {name: 'Kind', wide: true, cell: each => h('span', {class: 'nowrap'}, KINDS[each.kind] || each.kind)},
        {name: 'What', cell: each => h('span', {class: 'text'}, words(each))},
        {name: 'Virtual host', wide: true, cell: each => each.vhost},
    ],
});

export const events = {
    title: () => 'Events',

    load: ({at}, signal) => api.get('/api/events' + api.query({count: 500, kind: at.get('kind')}), signal),

    view: (data, {at, go}) => [
        title('Events'),
        h('form', {class: 'filters', onsubmit: event => event.preventDefault()}, h('label', null, h('span', null, 'Kind'),
            h('select', {name: 'kind', value: at.get('kind') || '', onchange: event => go({kind: event.target.value})},
                h('option', {value: ''}, 'all'),
                Object.entries(KINDS).map(([kind, text]) => h('option', {value: kind, key: kind}, text))))),
        panel('The latest first', eventTable(data)),
    ],
};
