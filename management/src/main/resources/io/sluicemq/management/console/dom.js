// Builds and updates the page. A view is a plain description of what should be there (h); patch makes the document so, and leaves alone
// what is so already: what has the focus, what was scrolled or typed stays. Text becomes text nodes and nothing else, so no name of a queue,
// header of a message or anything else that clients choose can become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** An element: its tag, attributes (and onX handlers, and `key` among its siblings), children. */
export function h(tag, attributes, ...children) {
    return {tag, attributes: attributes || {}, children: flat(children, [])};
}

function flat(children, into) {
    for (const child of children) {
        if (Array.isArray(child)) {
            flat(child, into);
        } else if (child !== null && child !== undefined && child !== false && child !== true) {
            into.push(typeof child === 'object' ? child : String(child));
        }
    }
    return into;
}

/** Makes the children of an element what they should be. */
export function patch(parent, children) {
    const focused = document.activeElement;
    reconcile(parent, flat([children], []));
    if (focused && focused !== document.activeElement && focused.isConnected && document.activeElement === document.body) {
        focused.focus({preventScroll: true});
    }
}

const kind = node => node.nodeType === Node.TEXT_NODE ? '#text' : node.made ? node.made.tag : node.nodeName;

function reconcile(parent, wanted) {
    const keyed = new Map();
    const loose = [];
    for (const node of parent.childNodes) {
        const key = node.made && node.made.attributes.key;
        if (key !== undefined) {
            keyed.set(key, node);
        } else {
            loose.push(node);
        }
    }
    const chosen = wanted.map(each => {
        const tag = typeof each === 'string' ? '#text' : each.tag;
        const key = typeof each === 'string' ? undefined : each.attributes.key;
        if (key !== undefined) {
            const found = keyed.get(key);
            if (found && kind(found) === tag) {
                keyed.delete(key);
                return found;
            }
            return null;
        }
        const at = loose.findIndex(node => kind(node) === tag);
        return at < 0 ? null : loose.splice(0, at + 1)[at];
    });
    const kept = new Set(chosen);
    for (const node of [...parent.childNodes]) {
        if (!kept.has(node)) {
            node.remove();
        }
    }
    let at = parent.firstChild;
    wanted.forEach((each, i) => {
        const node = chosen[i] || create(each, parent);
        if (node === at) {
            at = at.nextSibling;
        } else {
            parent.insertBefore(node, at);
        }
        update(node, each);
    });
}

function create(each, parent) {
    if (typeof each === 'string') {
        return document.createTextNode(each);
    }
    const inSvg = each.tag === 'svg' || parent.namespaceURI === SVG;
    const node = inSvg ? document.createElementNS(SVG, each.tag) : document.createElement(each.tag);
    node.made = {tag: each.tag, attributes: {}};
    return node;
}

function update(node, each) {
    if (typeof each === 'string') {
        if (node.data !== each) {
            node.data = each;
        }
        return;
    }
    const before = node.made.attributes;
    for (const name in before) {
        if (!(name in each.attributes)) {
            set(node, name, null, before[name]);
        }
    }
    if (!each.attributes.opaque) {
        reconcile(node, each.children); // before the value of a select, which needs its options
    }
    for (const name in each.attributes) {
        set(node, name, each.attributes[name], before[name]);
    }
    node.made = each;
}

function set(node, name, value, before) {
    if (name === 'key' || name === 'opaque') {
        return;
    }
    if (name.startsWith('on')) {
        node[name] = value || null;
    } else if (name === 'value' || name === 'checked') {
        if (value !== before) { // what was typed since is not undone
            node[name] = value === null ? '' : value;
        }
    } else if (name === 'style') {
        for (const property in {...before, ...value}) {
            const text = value && value[property];
            if (text === undefined || text === null) {
                node.style.removeProperty(property);
            } else if (!before || before[property] !== text) {
                node.style.setProperty(property, text);
            }
        }
    } else if (value === null || value === undefined || value === false) {
        if (before !== undefined) {
            node.removeAttribute(name);
        }
    } else if (value !== before) {
        node.setAttribute(name, value === true ? '' : value);
    }
}

let saidAt = 0;

/** Has a screen reader say something when it is idle. */
export function say(text) {
    saidAt = Date.now();
    const place = document.getElementById('said');
    place.textContent = '';
    requestAnimationFrame(() => { place.textContent = text; });
}

/** The same of something that changes by itself: at most every so many seconds, the rest is dropped. */
export function sayNowAndThen(text, seconds = 15) {
    if (Date.now() - saidAt > seconds * 1000) {
        say(text);
    }
}
