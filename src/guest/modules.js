// What the JavaScript engines of the guest side load modules with: the runtime's own files, and the host for all others.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { FrameType } from './frames.js';

/** @typedef {{ code: string, seed: number, epochMs: number, timeoutMs: number, memoryBytes: number, messageBytes: number }} Run */

export const PROGRAM_MODULE = '/program.js';
/** The guest runtime's own modules, by the path under which the guest's module loader knows them. */
export const RUNTIME_MODULE = '/toolwright/runtime.js';
export const EXTRAS_MODULE = '/toolwright/extras.js';
const FILES_MODULE = '/toolwright/files-module.js';
const RUNTIME_FILES = [
  'runtime.js',
  'extras.js',
  'faults.js',
  'files.js',
  'files-module.js',
  'inspect.js',
  'platform.js',
  'url.js',
];

/** Reads the runtime's modules; gives their source by path. */
export function readRuntimeModules() {
  return new Map(
    RUNTIME_FILES.map((file) => [
      `/toolwright/${file}`,
      readFileSync(new URL(`javascript/${file}`, import.meta.url), 'utf8'),
    ]),
  );
}

/**
 * The path of what a module imports.
 * @param {string} base path of the module that imports
 * @param {string} request as it is written there
 */
export function resolveModule(base, request) {
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
 * Asks the host for a module's source, or the error that takes its place. Modules load synchronously, so this blocks
 * until the host has answered; other answers wait in `deferred`.
 * @param {import('./frames.js').Channel} channel
 * @param {string} path
 * @param {import('./frames.js').Frame[]} deferred
 * @returns {string | { error: Error }}
 */
export function askForModule(channel, path, deferred) {
  channel.send(FrameType.request, 0, JSON.stringify(['module', path]));
  channel.flush();
  for (;;) {
    const frame = channel.next();
    if (!frame) process.exit(0);
    if (frame.id !== 0) deferred.push(frame);
    else if (frame.type === FrameType.fault) return { error: new Error(JSON.parse(frame.payload).message) };
    else return JSON.parse(frame.payload);
  }
}
