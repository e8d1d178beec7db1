// Asks again and again, at a modest rate: not while the page is hidden, not more often than every so many times that an answer takes,
// and ever more seldom while there is none.

const MOST_WAIT_MS = 30_000;
const SHARE = 4;

/**
 * @param everyMs between an answer and the next question
 * @param ask(signal) asks once
 * @param told {failed(error, waitMs), worked()}
 * @return {now(), stop()}: asks at once, whatever was asked before is forgotten; asks no more
 */
export function poll(everyMs, ask, told) {
    let timer = null;
    let running = null;
    let failures = 0;

    async function once() {
        const mine = new AbortController();
        running = mine;
        const began = performance.now();
        let waitMs;
        try {
            await ask(mine.signal);
            if (running !== mine) {
                return;
            }
            failures = 0;
            waitMs = Math.max(everyMs, SHARE * (performance.now() - began));
            told.worked();
        } catch (e) {
            if (running !== mine) {
                return;
            }
            failures++;
            waitMs = Math.min(MOST_WAIT_MS, Math.max(everyMs, 1000 * 2 ** failures));
            told.failed(e, waitMs);
        }
        if (running === mine) {
            timer = setTimeout(once, waitMs);
        }
    }

    function stop() {
        clearTimeout(timer);
        running?.abort();
        running = null;
    }

    return {
        stop,
        now() {
            stop();
            if (!document.hidden) {
                once();
            }
        },
    };
}
