// Lines over the last minutes, as SVG; the same numbers as a table for whoever can't see them.

import {h} from './dom.js';
import * as f from './format.js';

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 58;
const BOTTOM = 22;
const TOP = 10;
const RIGHT = 8;

const MOST_STEPS = 5;

/** Levels from 0 to a round number that is no less than the most, whole and evenly spaced by 1, 2 or 5, or ten times that, and so on. */
function levelsTo(most) {
    const least = Math.max(1, most / MOST_STEPS);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= least * 0.999);
    return Array.from({length: Math.ceil(most / step * 0.999) + 1}, (_, i) => i * step);
}

/**
 * @param samples [{at, …}], the latest last; one with `gap` begins anew
 * @param lines [{name, of(sample), key}]: the key is its colour and its dashes
 * @param write how a number is written
 * @param unit what stands behind a round one, at the lines of the grid
 */
export function chart({heading, samples, lines, write, unit = '', spanMs, least = 1}) {
    const to = samples.length ? samples.at(-1).at : Date.now();
    const from = to - spanMs;
    const shown = samples.filter(each => each.at >= from - 5000);
    const levels = levelsTo(Math.max(least, ...shown.flatMap(sample => lines.map(line => line.of(sample)))));
    const most = levels.at(-1);
    const x = at => LEFT + (WIDTH - LEFT - RIGHT) * (at - from) / spanMs;
    const y = value => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most);
    const now = shown.at(-1);
    const minutes = Math.round(spanMs / 60_000);
    return h('figure', {class: 'chart'},
        h('figcaption', null,
            h('h2', null, heading),
            h('ul', {class: 'legend'}, lines.map(line => h('li', {key: line.key},
                h('svg', {viewBox: '0 0 22 8', width: '22', height: '8', 'aria-hidden': 'true', class: 'line ' + line.key},
                    h('path', {d: 'M1 4H21'})),
                line.name, ' ', h('b', null, now ? write(line.of(now)) : '–'))))),
        h('svg', {
            viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
            'aria-label': heading + ', the last ' + minutes + ' minutes: now '
                + lines.map(line => line.name + ' ' + (now ? write(line.of(now)) : 'unknown')).join(', '),
        },
            levels.map((level, i) => h('g', {key: 'level' + i, class: 'grid'},
                h('path', {d: `M${LEFT} ${y(level)}H${WIDTH - RIGHT}`}),
                h('text', {x: LEFT - 6, y: y(level) + 4, 'text-anchor': 'end'}, f.round(level) + unit))),
            Array.from({length: minutes + 1}, (_, i) => h('text', {
                key: 'minute' + i, class: 'tick', x: LEFT + (WIDTH - LEFT - RIGHT) * i / minutes, y: HEIGHT - 5,
                'text-anchor': i === 0 ? 'start' : i === minutes ? 'end' : 'middle',
            }, i === minutes ? 'now' : '−' + (minutes - i) + ' min')),
            lines.map(line => h('path', {key: line.key, class: 'line ' + line.key, d: path(shown, line, x, y, from)}))),
        h('details', {class: 'numbers'}, h('summary', null, 'As a table'), numbers(heading, shown, lines, write)));
}

function path(samples, line, x, y, from) {
    let d = '';
    let down = false;
    for (const sample of samples) {
        if (sample.at < from) {
            continue;
        }
        d += (down && !sample.gap ? 'L' : 'M') + x(sample.at).toFixed(1) + ' ' + y(line.of(sample)).toFixed(1);
        down = true;
    }
    return d || 'M0 0';
}

function numbers(heading, samples, lines, write) {
    const every = Math.max(1, Math.floor(samples.length / 10));
    const rows = samples.filter((_, i) => (samples.length - 1 - i) % every === 0).reverse();
    return h('table', null, h('caption', {class: 'unseen'}, heading),
        h('thead', null, h('tr', null, h('th', {scope: 'col'}, 'At'),
            lines.map(line => h('th', {scope: 'col', class: 'number'}, line.name)))),
        h('tbody', null, rows.map(row => h('tr', {key: String(row.at)}, h('th', {scope: 'row'}, f.clock(row.at)),
            lines.map(line => h('td', {class: 'number'}, write(line.of(row))))))));
}
