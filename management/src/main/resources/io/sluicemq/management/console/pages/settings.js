// The settings in force.

import {h} from '../dom.js';
import * as api from '../api.js';
import {panel, table, title} from '../parts.js';

export const settings = {
    title: () => 'Settings',

    load: ({me}, signal) => me.role === 'administrator' ? api.get('/api/settings', signal) : {},

    view(data, {at, go, me}) {
        if (me.role !== 'administrator') {
            return [title('Settings'), h('p', null, 'They are shown to administrators; ' + me.name + ' is ' + me.role + '.')];
        }
        const part = (at.get('name') || '').toLowerCase();
        const all = Object.entries(data);
        const rows = all.filter(([key, value]) => (key + ' ' + value).toLowerCase().includes(part));
        return [
            title('Settings'),
            h('p', {class: 'quiet'}, 'What is in force now: the configuration file, what the command line said, and what stands where'
                + ' nobody said anything. Nothing secret is shown.'),
            h('form', {class: 'filters', role: 'search', onsubmit: event => event.preventDefault()},
                h('label', null, h('span', null, 'Key or value'), h('input', {
                    type: 'search', name: 'name', value: at.get('name') || '', autocomplete: 'off',
                    oninput: event => go({name: event.target.value}, true),
                }))),
            panel(rows.length === all.length ? 'All settings' : rows.length + ' of ' + all.length + ' settings', table({
                caption: 'Settings', rows, key: ([key]) => key, empty: 'None of that name.',
                columns: [
                    {name: 'Key', cell: ([key]) => h('code', null, key)},
                    {name: 'Value', cell: ([, value]) => h('code', null, String(value))},
                ],
            })),
        ];
    },
};
