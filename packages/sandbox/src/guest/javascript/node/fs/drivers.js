// Runs steps of file functions: by requests that are awaited, or by requests that are answered at once.

/** @typedef {import('./open-file.js').Steps} Steps */

/** @type {any} */
const files = /** @type {any} */ (globalThis).fs;
const PART = Symbol.for('toolwright.part');

/** @param {any[]} request */
const later = ([name, ...args]) => (name === 'part' ? files[PART].later(...args) : files[name](...args));
/** @param {any[]} request */
const now = ([name, ...args]) => (name === 'part' ? files[PART].now(...args) : files[`${name}Sync`](...args));

/** Runs steps, one request after the other. @param {Steps} steps @returns {Promise<any>} */
export async function run(steps) {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    /** @type {any} */
    let answer;
    /** @type {{ error: unknown } | undefined} */
    let failure;
    try {
      answer = await later(step.value);
    } catch (error) {
      failure = { error };
    }
    step = failure === undefined ? steps.next(answer) : steps.throw(failure.error);
  }
}

/** Runs steps while the program waits. @param {Steps} steps @returns {any} */
export function runNow(steps) {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    /** @type {any} */
    let answer;
    /** @type {{ error: unknown } | undefined} */
    let failure;
    try {
      answer = now(step.value);
    } catch (error) {
      failure = { error };
    }
    step = failure === undefined ? steps.next(answer) : steps.throw(failure.error);
  }
}
