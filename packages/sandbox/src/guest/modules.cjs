// The module loader of the JavaScript guests: the runtime's own files come from disk, all others from the host.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const process = require('node:process');
const { FrameType } = require('./frames.cjs');

/** @typedef {{ code: string, seed: number, epochMs: number, timeoutMs: number, memoryBytes: number, messageBytes: number, functions?: string[], clock?: number[] }} Run */

const PROGRAM_MODULE = '/program.js';
/** Paths of the guest runtime's modules in the guest. */
const RUNTIME_MODULE = '/toolwright/runtime.js';
const EXTRAS_MODULE = '/toolwright/extras.js';
/** Only engines without locale data load it. */
const INTL_MODULE = '/toolwright/intl.js';
const FILES_MODULE = '/toolwright/files-module.js';
const RUNTIME_FILES = [
  'runtime.js',
  'details.js',
  'extras.js',
  'clock.js',
  'engine.js',
  'faults.js',
  'files.js',
  'files-module.js',
  'inspect.js',
  'intl.js',
  'iterators.js',
  'language.js',
  'locale-arguments.js',
  'locale-methods.js',
  'numbers.js',
  'platform.js',
  'requests.js',
  'result.js',
  'resources.js',
  'search.js',
  'tools.js',
  'url.js',
];

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
  if (/^(node:)?fs(\/promises)?$/.test(request)) return FILES_MODULE;
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
 * Requests a module's source from the host. Returns the source, or an error if there is none. Modules load
 * synchronously: this blocks until the host answers, and stores other frames in `deferred`.
 * @param {import('./frames.cjs').Channel} channel
 * @param {{ send(type: number, id: number, payload: string): void }} clock
 * @param {string} path
 * @param {import('./frames.cjs').Frame[]} deferred
 * @returns {string | { error: Error }}
 */
function askForModule(channel, clock, path, deferred) {
  clock.send(FrameType.request, 0, JSON.stringify(['module', path]));
  channel.flush();
  for (;;) {
    const frame = channel.next();
    if (!frame) process.exit(0);
    const isAnswer = frame.type === FrameType.reply || frame.type === FrameType.fault;
    // A frame that is no answer, such as a new time limit, may have the id 0 too.
    if (!isAnswer || frame.id !== 0) deferred.push(frame);
    else if (frame.type === FrameType.fault) return { error: new Error(JSON.parse(frame.payload).message) };
    else return JSON.parse(frame.payload);
  }
}

module.exports = {
  PROGRAM_MODULE,
  RUNTIME_MODULE,
  EXTRAS_MODULE,
  INTL_MODULE,
  readRuntimeModules,
  resolveModule,
  askForModule,
};
