// The console: who is logged in, which page is shown, and how it is kept up to date.

import {h, patch, say, sayNowAndThen} from './dom.js';
import * as api from './api.js';
import * as f from './format.js';
import {chip, closeDialog, link, onLateRefusal, refusal, title} from './parts.js';
import {poll} from './poll.js';
import {overview} from './pages/overview.js';
import {flow} from './pages/flow.js';
import {queues} from './pages/queues.js';
import {queue} from './pages/queue.js';
import {addresses} from './pages/addresses.js';
import {exchange, exchanges} from './pages/exchanges.js';
import {connection, connections} from './pages/connections.js';
import {events} from './pages/events.js';
import {settings} from './pages/settings.js';

const EVERY_MS = 2000;
const REMEMBERED_MS = 10 * 60_000;
const THEME = 'sluicemq.theme';

/** Pages by their first segment, and by how many segments follow. */
const PAGES = {
    '': {0: overview},
    flow: {0: flow, 1: flow, 3: flow},
    queues: {0: queues, 2: queue},
    addresses: {0: addresses},
    exchanges: {0: exchanges, 2: exchange},
    connections: {0: connections, 1: connection},
    events: {0: events},
    settings: {0: settings},
};

const MENU = [
    ['', 'Overview'], ['flow', 'Flow map'], ['queues', 'Queues'], ['addresses', 'Addresses'], ['exchanges', 'Exchanges'],
    ['connections', 'Connections'], ['events', 'Events'], ['settings', 'Settings'],
];

const now = {
    me: null, // {name, role}
    hosts: [],
    samples: [], // what the overview said, with `at`; the latest last
    route: null,
    data: null,
    failure: null, // of the page: what is asked for isn't there, or isn't allowed
    notice: null, // what an act has come to
    menuOpen: false,
    loginError: '',
    loggingIn: false,
    opening: false, // whether a login that the tab remembers is being proved
    troubles: new Map(), // who can't reach the broker → {since, every}
    defects: new Map(), // what fails by a fault of the console's own: the page's load or view, … → the error
};

// ---- where

const NOWHERE = {title: () => 'Not found', view: () => [title('Not found'), h('p', null, 'There is no such page.')]};

function decode(segment) {
    try {
        return decodeURIComponent(segment);
    } catch (e) {
        return segment; // typed by hand, with a % that means itself
    }
}

/** Where the address points, with nothing kept of it yet: what a page keeps while it is shown is in `state`. */
function read() {
    const [path, search] = location.hash.replace(/^#\/?/, '').split('?', 2);
    const segments = path === '' ? [''] : path.split('/').map(decode);
    const [first, ...rest] = segments;
    const page = Object.hasOwn(PAGES, first) ? PAGES[first][rest.length] : undefined;
    return {first, rest, page: page || NOWHERE, at: new URLSearchParams(search || ''), path, state: {}};
}

/** Changes what the address says behind its question mark; an empty value goes. */
function go(changes, instead = false) {
    const at = new URLSearchParams(now.route.at);
    for (const [name, value] of Object.entries(changes)) {
        if (value === '' || value === null) {
            at.delete(name);
        } else {
            at.set(name, value);
        }
    }
    const hash = '#/' + now.route.path + (at.size === 0 ? '' : '?' + at);
    if (hash === location.hash) {
        return;
    }
    if (instead) {
        history.replaceState(null, '', hash);
        moved();
    } else {
        location.hash = hash;
    }
}

function moved() {
    const before = now.route;
    now.route = read();
    const another = before.path !== now.route.path;
    closeDialog();
    if (another) {
        now.data = null;
        now.notice = now.notice?.stays ? {...now.notice, stays: false} : null;
        now.menuOpen = false;
        now.defects.clear();
    } else {
        now.route.state = before.state;
    }
    now.failure = null;
    document.title = now.route.page.title(now.route) + ' · SluiceMQ';
    draw();
    if (another) {
        scrollTo(0, 0);
        document.querySelector('h1')?.focus({preventScroll: true});
    }
    pagePoll.now();
}

// ---- up to date

function context() {
    const {route} = now;
    const isShown = () => now.route.path === route.path;
    return {
        route,
        at: route.at,
        state: route.state,
        samples: now.samples,
        overview: now.samples.at(-1),
        hosts: now.hosts,
        me: now.me,
        mayAct: now.me.role === 'operator' || now.me.role === 'administrator',
        // Who has gone to another page meanwhile is left there.
        go: (changes, instead) => isShown() && go(changes, instead),
        draw,
        refresh: () => pagePoll.now(),
        done: (text, hash) => done(text, isShown() ? hash : undefined),
    };
}

/** Something was done. If what the page shows went with it, another page is shown. */
function done(text, hash) {
    now.notice = {text, mood: 'good', stays: hash !== undefined};
    say(text);
    if (hash !== undefined) {
        location.hash = hash;
        return;
    }
    draw();
    pagePoll.now();
}

/** Something was not done, and nobody looks at the dialog any more that would say so. */
onLateRefusal(text => {
    now.notice = {text, mood: 'bad', stays: false};
    say(text);
    draw();
});

/** An error that is no answer of the broker's. It is said on the page, and to whoever looks into the browser's own console. */
function defect(where, error) {
    if (now.defects.get(where)?.stack !== error.stack) {
        console.error(error);
        say(DEFECT);
    }
    now.defects.set(where, error);
}

const DEFECT = 'This is a defect of the console, not of the broker';

/** What to ask: an error of the console's own in it is told as that, and asking goes on at its pace. */
function sound(where, ask) {
    return async signal => {
        try {
            await ask(signal);
            if (!signal.aborted) {
                now.defects.delete(where);
            }
        } catch (e) {
            if (e instanceof api.ApiFailure || signal.aborted) {
                throw e;
            }
            defect(where, e);
            draw();
        }
    };
}

const pagePoll = poll(EVERY_MS, sound('load', async signal => {
    const {route} = now;
    if (!now.me || !route.page.load) {
        return;
    }
    try {
        const data = await route.page.load(context(), signal);
        if (now.route === route) {
            now.data = data;
            now.failure = null;
            now.defects.delete('load');
            draw();
        }
    } catch (e) {
        if (e instanceof api.ApiFailure && e.status >= 400 && e.status < 500 && e.status !== 401) {
            if (now.route === route) {
                now.failure = e;
                draw();
            }
            return;
        }
        throw e;
    }
}), trouble('page'));

const overviewPoll = poll(EVERY_MS, sound('overview', async signal => {
    if (!now.me) {
        return;
    }
    const sample = await api.get('/api/overview', signal);
    const last = now.samples.at(-1);
    sample.at = Date.now();
    sample.gap = last !== undefined && sample.at - last.at > 15_000;
    if (last && last.started !== sample.started) {
        sample.gap = true; // another broker, or the same begun anew
    }
    now.samples = now.samples.filter(each => each.at > sample.at - REMEMBERED_MS);
    now.samples.push(sample);
    tell(last, sample);
    draw();
}), trouble('overview'));

const hostsPoll = poll(60_000, sound('hosts', async signal => {
    if (now.me) {
        now.hosts = (await api.get('/api/vhosts', signal)).map(each => each.name);
        draw();
    }
}), trouble('hosts'));

const polls = [pagePoll, overviewPoll, hostsPoll];

/** What to do when a poll can't reach the broker, and when it can again. */
function trouble(who) {
    return {
        failed(error, waitMs) {
            if (error.status === 401) {
                return;
            }
            const first = now.troubles.size === 0;
            now.troubles.set(who, {
                since: now.troubles.get(who)?.since ?? Date.now(), waitMs, reason: error.message, status: error.status,
            });
            if (first) {
                say('The broker is not reachable.');
            }
            draw();
        },
        worked() {
            if (now.troubles.delete(who) && now.troubles.size === 0) {
                say('The broker is reachable again.');
                polls.forEach(each => each.now());
                draw();
            }
        },
    };
}

/** Says what has changed that somebody who only listens must know. */
function tell(before, after) {
    if (!before) {
        return;
    }
    const wait = sample => sample.counters.parkedMessages > 0;
    if (Boolean(after.shortage) !== Boolean(before.shortage)) {
        say(after.shortage ? 'All publishers wait: ' + after.shortage.reason : 'Publishers need not wait any more.');
    } else if (wait(after) !== wait(before)) {
        sayNowAndThen(wait(after) ? 'Producers wait for room.' : 'No message waits for room any more.');
    }
}

document.addEventListener('visibilitychange', () => {
    polls.forEach(each => document.hidden ? each.stop() : each.now());
});

// ---- who

api.onLoggedOut(() => {
    if (now.me) {
        forget();
        now.loginError = 'The broker does not take this login any more.';
    }
    draw();
});

function forget() {
    polls.forEach(each => each.stop());
    closeDialog();
    Object.assign(now, {me: null, samples: [], data: null, failure: null, notice: null, hosts: [], route: read()});
    now.troubles.clear();
    now.defects.clear();
}

async function enter() {
    now.loggingIn = true;
    draw();
    try {
        const me = await api.get('/api/whoami');
        now.me = {name: me.name, role: me.tags[0] || 'none'};
        now.loginError = '';
        moved();
        document.querySelector('h1')?.focus({preventScroll: true});
        overviewPoll.now();
        hostsPoll.now();
    } catch (e) {
        api.logOut();
        now.loginError = e.status === 401 ? 'The name or the password is not right.' : refusal(e);
    } finally {
        now.loggingIn = false;
        now.opening = false;
        draw();
    }
}

function leave() {
    api.logOut();
    forget();
    now.loginError = '';
    draw();
    document.querySelector('input')?.focus();
}

function login() {
    return h('main', {class: 'login', key: 'login'},
        h('form', {
            onsubmit: event => {
                event.preventDefault();
                const {name, password} = event.target.elements;
                api.logIn(name.value, password.value);
                password.value = '';
                enter();
            },
        },
            h('h1', null, h('img', {src: 'console/icon.svg', alt: '', width: '36', height: '36'}), 'SluiceMQ'),
            h('label', {class: 'field'}, h('span', null, 'Name'), h('input', {
                name: 'name', autocomplete: 'username', required: true, autocapitalize: 'none', spellcheck: 'false', autofocus: true,
            })),
            h('label', {class: 'field'}, h('span', null, 'Password'), h('input', {
                name: 'password', type: 'password', autocomplete: 'current-password', required: true,
            })),
            h('p', {class: 'error', role: 'alert'}, now.loginError),
            h('button', {type: 'submit', class: 'primary', disabled: now.loggingIn}, now.loggingIn ? 'Logging in…' : 'Log in'),
            h('p', {class: 'quiet'}, 'A user of the broker. The password stays in this tab until it is closed or you log out.')));
}

// ---- light and dark

const THEMES = {auto: 'as the system', light: 'light', dark: 'dark'};

function theme() {
    const kept = localStorage.getItem(THEME);
    return Object.hasOwn(THEMES, kept) ? kept : 'auto';
}

function setTheme(name) {
    if (name === 'auto') {
        localStorage.removeItem(THEME);
    } else {
        localStorage.setItem(THEME, name);
    }
    document.documentElement.dataset.theme = name;
    draw();
}

// ---- the page

function shell() {
    const {page} = now.route;
    return [
        h('a', {
            class: 'skip', href: '#main', key: 'skip', onclick: event => {
                event.preventDefault();
                document.getElementById('main').focus();
            },
        }, 'Skip to the content'),
        h('header', {class: 'top', key: 'top'},
            h('a', {class: 'brand', href: '#/'}, h('img', {src: 'console/icon.svg', alt: '', width: '26', height: '26'}), 'SluiceMQ'),
            h('span', {class: 'node wide'}, now.samples.at(-1)?.node || ''),
            h('span', {class: 'health'}, health()),
            h('button', {
                type: 'button', class: 'menu-button', 'aria-expanded': String(now.menuOpen), 'aria-controls': 'menu',
                onclick: () => {
                    now.menuOpen = !now.menuOpen;
                    draw();
                },
            }, 'Menu')),
        h('div', {class: 'side' + (now.menuOpen ? ' open' : ''), id: 'menu', key: 'menu'},
            h('nav', {'aria-label': 'Console'}, h('ul', null, MENU.map(([first, text]) => h('li', {key: first},
                h('a', {
                    href: first === '' ? '#/' : link(first),
                    'aria-current': first === now.route.first ? 'page' : null,
                    onclick: () => {
                        now.menuOpen = false;
                        draw();
                    },
                }, text))))),
            h('section', {class: 'user', 'aria-label': 'User and colours'},
                h('label', null, h('span', null, 'Colours'), h('select', {
                    name: 'theme', value: theme(), onchange: event => setTheme(event.target.value),
                }, Object.entries(THEMES).map(([name, text]) => h('option', {value: name, key: name}, text)))),
                h('p', null, 'Logged in as ', h('b', null, now.me.name), h('br'), h('span', {class: 'quiet'}, now.me.role)),
                h('button', {type: 'button', onclick: leave}, 'Log out'))),
        h('main', {id: 'main', tabindex: '-1', key: now.route.path}, unreachable(), notice(), ...content(page)),
    ];
}

function health() {
    const last = now.samples.at(-1);
    if (now.troubles.size > 0) {
        return chip('bad', 'not reachable');
    }
    if (!last) {
        return null;
    }
    if (last.shortage) {
        return chip('bad', 'all publishers wait');
    }
    return last.counters.parkedMessages > 0 ? chip('warn', 'producers wait') : chip('good', 'healthy');
}

function unreachable() {
    if (now.troubles.size === 0) {
        return null;
    }
    const all = [...now.troubles.values()];
    const since = Math.min(...all.map(each => each.since));
    const wait = Math.min(...all.map(each => each.waitMs));
    const {status, reason} = all[0];
    return h('p', {class: 'banner bad', key: 'trouble'},
        status === 0 ? 'Not reachable since ' + f.clock(since) : 'Answers ' + status + ' since ' + f.clock(since),
        ': ' + reason + '. What is shown is from before. The next try is in ' + f.duration(wait) + '.');
}

function notice() {
    return now.notice && h('p', {class: 'banner ' + now.notice.mood, key: 'notice'}, now.notice.text, ' ',
        h('button', {
            type: 'button', class: 'plain', 'aria-label': 'Dismiss', onclick: () => {
                now.notice = null;
                draw();
            },
        }, '✕'));
}

function content(page) {
    if (now.failure) {
        return [h('div', {key: 'content'}, title(now.failure.status === 404 ? 'Not there' : 'Refused'),
            h('p', null, refusal(now.failure)))];
    }
    if (page.load && now.data === null) {
        return [defects(), h('div', {key: 'content'}, title(page.title(now.route)),
            now.defects.has('load') ? null : h('p', {class: 'quiet'}, 'Loading…'))];
    }
    let view;
    try {
        view = page.view(now.data, context());
        now.defects.delete('view');
    } catch (e) {
        defect('view', e);
        view = title(page.title(now.route));
    }
    return [defects(), h('div', {key: 'content', class: 'content'}, view)];
}

function defects() {
    const [error] = now.defects.values();
    return error && h('p', {class: 'banner bad', key: 'defect'},
        'This page can\'t be shown as it is now: ' + error.message + '. ' + DEFECT + '; please report it.');
}

function draw() {
    const app = document.getElementById('app');
    try {
        patch(app, now.me ? shell() : now.opening
            ? h('main', {class: 'login', key: 'opening'}, h('p', {class: 'quiet'}, 'Opening the console…')) : login());
        now.defects.delete('frame');
    } catch (e) {
        defect('frame', e);
        app.replaceChildren(); // it may be half of one and half of the other
        patch(app, h('main', {key: 'defect'}, title('SluiceMQ'), defects()));
    }
}

document.documentElement.dataset.theme = theme();
now.route = read();
addEventListener('hashchange', () => {
    if (now.me) {
        moved();
    }
});
if (api.isLoggedIn()) {
    now.opening = true;
    enter();
} else {
    draw();
}
