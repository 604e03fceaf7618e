// Kept values: the session stores top-level values of a completed program, and the next program loads them at their first use.
import { contentOf, described, readContent, Unkeepable } from './contents.js';

const { parse } = JSON;
// The program may replace them.
// biome-ignore lint/security/noGlobalEval: kept code is text of an earlier program, and the sandbox isolates both
const evaluate = globalThis.eval;
const { toString: textOf } = Function.prototype;
const { apply, ownKeys } = Reflect;
/** Characters of all values that a session keeps. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Characters of one message. */
const PART = 1024 * 1024;
const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

/**
 * @typedef {{ format: string, hash: string, type: string, needs?: string[] }} Entry
 * @typedef {{ get?: () => any, needs?: string[], from?: string, name?: string }} Binding
 * @typedef {{ entry: Entry, value?: any, content?: string, isLoaded: boolean }} Loaded
 * @typedef {{ default(keep: (bindings: Record<string, Binding>) => void): unknown, __toolwright_names: string[] }} Program
 * @typedef {{
 *   askNow(operation: string, ...parameters: unknown[]): any,
 *   notice(kind: string, ...values: unknown[]): void,
 *   settle(value: unknown): Promise<unknown>,
 *   complete(value: unknown, beforeEnd: () => void): void,
 * }} Runtime
 */

/**
 * Runs a program whose top-level values the session keeps.
 * @param {string} path
 * @param {Runtime} runtime
 */
export async function runWithKept(path, { askNow, notice, settle, complete }) {
  /** @type {Program} */
  const program = await import(path);
  const loaded = await offer(program.__toolwright_names, askNow);
  /** @type {Record<string, Binding>} */
  let bindings = {};
  const value = await program.default((given) => {
    bindings = given;
  });
  complete(await settle(value), () => keep(bindings, loaded, notice));
}

/**
 * Defines a global for each kept value that the program or the kept code that it uses names. Values load when they are read.
 * @param {string[]} names
 * @param {Runtime['askNow']} askNow
 */
async function offer(names, askNow) {
  /** @type {Map<string, Loaded>} */
  const loaded = new Map();
  const waiting = names.filter((name) => !(name in globalThis));
  if (waiting.length === 0) return loaded;
  /** @type {Record<string, Entry>} */
  const index = askNow('kept');
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (!Object.hasOwn(index, name) || loaded.has(name) || name in globalThis) continue;
    const entry = /** @type {Entry} */ (index[name]);
    const state = { entry, isLoaded: false };
    loaded.set(name, state);
    waiting.push(...(entry.needs ?? []));
    // A module cannot load while the program stands still.
    if (entry.format === 'import') await importNow(state, askNow);
    define(name, state, askNow);
  }
  return loaded;
}

/** @param {Loaded} state @param {Runtime['askNow']} askNow */
async function importNow(state, askNow) {
  const { from, name: exported } = parse(contentFrom(askNow, state.entry.hash));
  const module = await import(from);
  state.value = exported === '*' ? module : module[exported];
  state.isLoaded = true;
}

/** @param {string} name @param {Loaded} state @param {Runtime['askNow']} askNow */
function define(name, state, askNow) {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      if (!state.isLoaded) load(name, state, askNow);
      return state.value;
    },
    set(value) {
      state.value = value;
      state.isLoaded = true;
    },
  });
}

/** @param {string} name @param {Loaded} state @param {Runtime['askNow']} askNow */
function load(name, state, askNow) {
  const { format, hash, type } = state.entry;
  const content = contentFrom(askNow, hash);
  try {
    state.value =
      format === 'code' ? evaluate(`"use strict";(${content}\n)`) : readContent(format, content, classNamed);
  } catch (error) {
    throw new Error(`The kept value ${name} (${type}) cannot be loaded: ${error}`);
  }
  state.content = content;
  state.isLoaded = true;
}

/** Returns a class of an earlier program. @param {string} name */
function classNamed(name) {
  return /** @type {any} */ (globalThis)[name];
}

/** @param {Runtime['askNow']} askNow @param {string} hash */
function contentFrom(askNow, hash) {
  const parts = [];
  for (let at = 0; at !== null; ) {
    const [text, next] = askNow('keptValue', hash, at);
    parts.push(text);
    at = next;
  }
  return parts.join('');
}

/**
 * Sends the values of a completed program to the host.
 * @param {Record<string, Binding>} bindings
 * @param {Map<string, Loaded>} loaded
 * @param {Runtime['notice']} notice
 */
function keep(bindings, loaded, notice) {
  let left = MAX_CHARACTERS;
  const isClass = (/** @type {string} */ name) => Object.hasOwn(bindings, name) || loaded.has(name);
  /** @param {string} name @param {() => { value: any, binding: Binding, before?: string | undefined }} read */
  const add = (name, read) => {
    let type = '';
    try {
      const { value, binding, before } = read();
      if (value === undefined && binding.from === undefined) return;
      type = binding.from === undefined ? described(value) : 'import';
      const found = contentOfBinding(value, binding, { left, isClass });
      if (found.content === before) return;
      left -= found.content.length;
      const { content, ...rest } = found;
      send(notice, { name, type, ...rest }, content);
    } catch (error) {
      // A name that the program did not reach has no value.
      if (error instanceof ReferenceError) return;
      const problem = error instanceof Unkeepable ? error.message : `it cannot be stored: ${error}`;
      notice('keep', { name, type, problem });
    }
  };
  for (const name of /** @type {string[]} */ (ownKeys(bindings))) {
    const binding = /** @type {Binding} */ (bindings[name]);
    add(name, () => ({ value: binding.get?.(), binding }));
  }
  for (const [name, { isLoaded, value, content, entry }] of loaded) {
    if (!isLoaded || entry.format === 'import' || (entry.format === 'code' && content !== undefined)) continue;
    if (!Object.hasOwn(bindings, name)) add(name, () => ({ value, binding: {}, before: content }));
  }
}

/**
 * @param {any} value
 * @param {Binding} binding
 * @param {{ left: number, isClass: (name: string) => boolean }} options
 * @returns {{ format: string, content: string, needs?: string[] }}
 */
function contentOfBinding(value, { needs, from, name }, options) {
  if (from !== undefined) return { format: 'import', content: JSON.stringify({ from, name }) };
  if (typeof value !== 'function') return contentOf(value, options);
  const content = apply(textOf, value, []);
  if (needs === undefined || NATIVE.test(content)) throw new Unkeepable('a call made it; write it at the top level');
  return { format: 'code', content, needs };
}

/** @param {Runtime['notice']} notice @param {object} entry @param {string} content */
function send(notice, entry, content) {
  for (let at = 0; at === 0 || at < content.length; at += PART) {
    notice('keep', { ...entry, more: at + PART < content.length }, content.slice(at, at + PART));
  }
}
