// Talks to the broker's HTTP API. The user's name and password are kept for this tab only (sessionStorage), and go nowhere but into the
// header Authorization: not into a URL, a cookie or a form.

const KEY = 'sluicemq.authorization';

/** The API has answered with an error; 0 for no answer at all. */
export class ApiFailure extends Error {
    constructor(status, error, reason) {
        super(reason);
        this.status = status;
        this.error = error;
    }
}

export const isLoggedIn = () => sessionStorage.getItem(KEY) !== null;

export function logIn(name, password) {
    const both = new TextEncoder().encode(name + ':' + password);
    sessionStorage.setItem(KEY, 'Basic ' + btoa(String.fromCharCode(...both)));
}

export function logOut() {
    sessionStorage.removeItem(KEY);
}

let whenLoggedOut = () => {};

/** What is to be done when the broker doesn't take the login. */
export function onLoggedOut(action) {
    whenLoggedOut = action;
}

/** A path of segments, each of which may hold anything; the default exchange has a name there. */
export const path = (...segments) =>
    '/api/' + segments.map(each => encodeURIComponent(String(each).toWellFormed())).join('/');

export const exchangePath = (vhost, name, ...more) => path('exchanges', vhost, name === '' ? 'amq.default' : name, ...more);

/** A query, without what is empty. */
export function query(parameters) {
    const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
    return pairs.length === 0 ? '' : '?' + new URLSearchParams(pairs);
}

async function request(method, url, {body, headers, signal} = {}) {
    const authorization = sessionStorage.getItem(KEY);
    if (authorization === null) {
        throw new ApiFailure(401, 'not_authorised', 'not logged in');
    }
    let response;
    let text;
    try {
        response = await fetch(url, {
            method,
            headers: {
                Authorization: authorization,
                ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
                ...headers,
            },
            body: body === undefined ? undefined : JSON.stringify(body),
            // The browser adds no login of its own, and asks for none.
            credentials: 'omit',
            cache: 'no-store',
            signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(40_000)]) : AbortSignal.timeout(40_000),
        });
        text = await response.text(); // the connection may end within it
    } catch (e) {
        if (e.name === 'AbortError') {
            throw e;
        }
        throw new ApiFailure(0, 'unreachable', e.name === 'TimeoutError' ? 'no answer in 40 s' : 'the broker is not reachable');
    }
    let json = null;
    if (text !== '') {
        try {
            json = JSON.parse(text);
        } catch (e) {
            throw new ApiFailure(response.status, 'unreadable', 'the answer can\'t be read: ' + e.message);
        }
    }
    if (response.ok) {
        return json;
    }
    const failure = new ApiFailure(
        response.status, json?.error ?? 'failed', json?.reason ?? response.status + ' ' + response.statusText);
    if (response.status === 401 && sessionStorage.getItem(KEY) === authorization) {
        logOut();
        whenLoggedOut(failure);
    }
    throw failure;
}

export const get = (url, signal) => request('GET', url, {signal});
export const post = (url, body) => request('POST', url, {body: body ?? {}});
export const put = (url, body) => request('PUT', url, {body: body ?? {}});
export const remove = (url, headers) => request('DELETE', url, {headers});
