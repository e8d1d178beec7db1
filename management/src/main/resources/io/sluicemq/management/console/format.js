// Numbers as people read them. All take what the API may leave out (null), and show a dash for it.

const whole = new Intl.NumberFormat('en-GB');
const NONE = '–';

/** 1234567 → 1,234,567 */
export const count = n => n === null || n === undefined ? NONE : whole.format(n);

/** The same where there is little room: 1234567 → 1.23M */
export function short(n) {
    if (n === null || n === undefined) {
        return NONE;
    }
    for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e4]]) {
        if (Math.abs(n) >= size) {
            return digits(n / (unit === 'k' ? 1e3 : size)) + unit;
        }
    }
    return whole.format(Math.round(n));
}

/** One that is round, where there is least room: 2500000 → 2.5M */
export function round(n) {
    const [unit, size] = [['G', 1e9], ['M', 1e6], ['k', 1e3]].find(([, each]) => n >= each) || ['', 1];
    return Number((n / size).toPrecision(3)) + unit;
}

const digits = n => n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2);

/** Messages a second. */
export function rate(n) {
    if (n === null || n === undefined) {
        return NONE;
    }
    return n === 0 ? '0/s' : n < 10 ? n.toFixed(1) + '/s' : short(n) + '/s';
}

export function bytes(n) {
    if (n === null || n === undefined) {
        return NONE;
    }
    let size = n;
    for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
        if (Math.abs(size) < 1024) {
            return (unit === 'B' ? size : digits(size)) + ' ' + unit;
        }
        size /= 1024;
    }
    return digits(size) + ' TiB';
}

/** How long, from milliseconds: 340 ms, 12 s, 3 min 5 s, 2 h 10 min, 4 d 3 h */
export function duration(ms) {
    if (ms === null || ms === undefined || ms < 0) {
        return NONE;
    }
    if (ms < 1000) {
        return ms + ' ms';
    }
    const s = Math.floor(ms / 1000);
    const two = (a, unit, b, small) => a + ' ' + unit + (b ? ' ' + b + ' ' + small : '');
    if (s < 60) {
        return s + ' s';
    }
    if (s < 3600) {
        return two(Math.floor(s / 60), 'min', s % 60, 's');
    }
    if (s < 86400) {
        return two(Math.floor(s / 3600), 'h', Math.floor(s % 3600 / 60), 'min');
    }
    return two(Math.floor(s / 86400), 'd', Math.floor(s % 86400 / 3600), 'h');
}

const pad = n => String(n).padStart(2, '0');

export function clock(ms) {
    const d = new Date(ms);
    return pad(d.getHours()) + ':' + pad(d.getMinutes()) + ':' + pad(d.getSeconds());
}

/** With the day, unless that is today. */
export function moment(ms) {
    const d = new Date(ms);
    const today = new Date().toDateString() === d.toDateString();
    return (today ? '' : d.getFullYear() + '-' + pad(d.getMonth() + 1) + '-' + pad(d.getDate()) + ' ') + clock(ms);
}

export const percent = share => Math.floor(share * 100) + ' %';

/** How many wait for room. */
export const producersWait = n => plural(n, 'producer waits', 'producers wait');

export const plural = (n, one, many = one + 's') => count(n) + ' ' + (n === 1 ? one : many);

export const cut = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + '…';

/** The same for names of which the end tells most. */
export const cutMiddle = (text, most) =>
    text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + '…' + text.slice(-Math.floor(most / 2));
