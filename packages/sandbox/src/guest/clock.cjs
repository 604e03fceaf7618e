// The clock of the JavaScript guests. Every reading is reported to the host, so that a replay of the program reads the same times.
'use strict';
const { FrameType } = require('./frames.cjs');

// The program changes the built-ins of this realm.
const engineNow = Date.now;
const { stringify } = JSON;
const { max } = Math;

/** Different readings that are held until the next frame. */
const MAX_HELD = 2_000;

/**
 * Creates the clock of one program. It never goes back.
 * @param {import('./frames.cjs').Channel} channel
 */
function createClock(channel) {
  /** Recorded readings that the program has not read yet, as in `take`. @type {number[]} */
  let recorded = [];
  let at = 0;
  /** Readings since the last frame: a time, and how often it was read. @type {number[]} */
  let held = [];
  let offset = 0;
  let last = 0;

  const flush = () => {
    if (held.length === 0) return;
    channel.send(FrameType.clock, 0, stringify(held));
    held = [];
  };
  const replayed = () => {
    const time = /** @type {number} */ (recorded[at]);
    const left = /** @type {number} */ (recorded[at + 1]) - 1;
    if (left === 0) at += 2;
    else recorded[at + 1] = left;
    return time;
  };
  return {
    /** Sets the time, and the readings of a recorded run, which come first. @param {{ epochMs: number, clock?: number[] }} run */
    start({ epochMs, clock = [] }) {
      offset = epochMs - engineNow();
      recorded = clock;
      last = at = 0;
      held = [];
    },
    /** Returns milliseconds since the epoch. */
    now() {
      if (at < recorded.length) {
        last = replayed();
        return last;
      }
      last = max(last, engineNow() + offset);
      if (held.at(-2) === last) /** @type {number} */ held[held.length - 1]++;
      else held.push(last, 1);
      if (held.length >= 2 * MAX_HELD) flush();
      return last;
    },
    /** Sends one frame, after the readings before it. @param {number} type @param {number} id @param {string} payload */
    send(type, id, payload) {
      flush();
      channel.send(type, id, payload);
    },
  };
}

module.exports = { createClock };
