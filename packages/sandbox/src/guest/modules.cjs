// The module loader of the JavaScript guests: the runtime's own files come from disk, all others from the host.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const process = require('node:process');
const { FrameType } = require('./frames.cjs');

/** @typedef {{ code: string, seed: number, epochMs: number, timeoutMs: number, memoryBytes: number, messageBytes: number, functions?: string[], clock?: number[], keeps?: boolean }} Run */

const PROGRAM_MODULE = '/program.js';
/** Paths of the guest runtime's modules in the guest. */
const RUNTIME_MODULE = '/toolwright/runtime.js';
const EXTRAS_MODULE = '/toolwright/web/extras.js';
/** Only engines without locale data load it. */
const INTL_MODULE = '/toolwright/locale/intl.js';
const RUNTIME_FILES = [
  'runtime.js',
  'web/abort.js',
  'web/abort-after.js',
  'web/blob.js',
  'web/clone.js',
  'computed/answers.js',
  'computed/seen.js',
  'computed/computed.js',
  'computed/dates.js',
  'computed/words.js',
  'console.js',
  'api/details.js',
  'web/extras.js',
  'clock.js',
  'engine.js',
  'faults.js',
  'api/files.js',
  'locale/intl.js',
  'iterators.js',
  'kept/contents.js',
  'kept/kept.js',
  'language.js',
  'locale/arguments.js',
  'locale/methods.js',
  'numbers.js',
  'platform.js',
  'requests.js',
  'result.js',
  'api/pii.js',
  'api/resources.js',
  'api/search.js',
  'web/subtle.js',
  'api/tools.js',
  'web/url.js',
];

/** Modules of Node by their name, and their files in `javascript/node`. */
const NODE_MODULES = new Map(
  [
    ...['assert', 'assert/strict', 'buffer', 'crypto', 'events', 'os', 'path', 'querystring'],
    ...['readline', 'stream', 'stream/promises', 'stream/web', 'string_decoder', 'timers', 'timers/promises'],
    ...['url', 'zlib'],
  ].map((name) => [name, name.replace('_', '-')]),
);
for (const [name, file] of Object.entries({
  ...{ util: 'inspection', 'util/types': 'value-types', 'path/posix': 'path' },
  ...{ fs: 'fs/fs', 'fs/promises': 'fs/promises' },
  ...{ 'readline/promises': 'readline', perf_hooks: 'timers/perf-hooks' },
}))
  NODE_MODULES.set(name, file);
for (const [name, file] of NODE_MODULES) NODE_MODULES.set(name, `/toolwright/node/${file}.js`);
const NODE_FILES = new Set(NODE_MODULES.values());

/** Reads the runtime's modules. Returns their source by path. */
function readRuntimeModules() {
  return new Map(
    RUNTIME_FILES.map((file) => [`/toolwright/${file}`, readFileSync(join(__dirname, 'javascript', file), 'utf8')]),
  );
}

/**
 * Returns the path of an imported module.
 * @param {string} base path of the importing module
 * @param {string} request the specifier as written
 */
function resolveModule(base, request) {
  const own = NODE_MODULES.get(request.replace(/^node:/, ''));
  if (own !== undefined) return own;
  if (!request.startsWith('.')) return request;
  /** @type {string[]} */
  const path = base.startsWith('/') ? base.split('/').slice(1, -1) : [];
  for (const part of request.split('/')) {
    if (part === '..') path.pop();
    else if (part !== '.') path.push(part);
  }
  return `/${path.join('/')}`;
}

/**
 * Returns the source of one of the runtime's modules that programs import; undefined for any other path.
 * @param {string} path
 */
function readNodeModule(path) {
  return NODE_FILES.has(path)
    ? readFileSync(join(__dirname, 'javascript', path.slice('/toolwright/'.length)), 'utf8')
    : undefined;
}

/**
 * Sends a request and blocks until the host answers. Stores other frames in `deferred`.
 * @param {import('./frames.cjs').Channel} channel
 * @param {{ send(type: number, id: number, payload: string): void }} clock
 * @param {string} payload
 * @param {import('./frames.cjs').Frame[]} deferred
 * @returns {{ isFault: boolean, payload: string }}
 */
function askNow(channel, clock, payload, deferred) {
  clock.send(FrameType.request, 0, payload);
  channel.flush();
  for (;;) {
    const frame = channel.next();
    if (!frame) process.exit(0);
    const isAnswer = frame.type === FrameType.reply || frame.type === FrameType.fault;
    // A frame that is no answer, such as a new time limit, may have the id 0 too.
    if (!isAnswer || frame.id !== 0) deferred.push(frame);
    else return { isFault: frame.type === FrameType.fault, payload: frame.payload };
  }
}

/**
 * Requests a module's source from the host: modules load synchronously. Returns the source, or an error if there is none.
 * @param {Parameters<typeof askNow>} parameters with the path of the module as the payload
 * @returns {string | { error: Error }}
 */
function askForModule(...[channel, clock, path, deferred]) {
  const { isFault, payload } = askNow(channel, clock, JSON.stringify(['module', path]), deferred);
  const answer = JSON.parse(payload);
  return isFault ? { error: new Error(answer.message) } : answer;
}

module.exports = {
  ...{ PROGRAM_MODULE, RUNTIME_MODULE, EXTRAS_MODULE, INTL_MODULE },
  ...{ readRuntimeModules, readNodeModule, resolveModule, askForModule, askNow },
};
