import { createHash, createHmac, createSecretKey, hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { KEY_ID_BYTES, type SealingKey } from '@toolwright/pii/internal';
import { ToolwrightError } from '../errors.ts';
import { dataFolder, dataFolderError } from './data-folder.ts';
import { createOnce } from './own-files.ts';

const KEY_BYTES = 32;
/** 120 of 256 bits. */
const CODE_CHARACTERS = 20;
const NAME_CHARACTERS = 22;
/** Characters of a text from which it is not joined with others: that would copy it. */
const MIN_LONG_CHARACTERS = 64 * 1024;
const NEWLINE = 0x0a;
/** The start of each line. Its code is before everything that a program may have written. */
const LINE = /^(\{"entry":"\w+","at":"[^"]{24}"),"code":"([\w-]{20})"/;

const keys = new Map<string, Buffer>();

/**
 * Returns the key of a data folder's journals, and creates it. Without it, nobody can change a journal unnoticed, or confirm a
 * guess about a redacted value. Raises `CONFIG_INVALID` when the folder cannot be written to.
 */
export function journalKey(path: string): Buffer {
  const known = keys.get(path);
  if (known) return known;
  const key = readKey(path) ?? createKey(path);
  keys.set(path, key);
  return key;
}

/**
 * Returns the key that signs questions to clients, which any server of a data folder may receive back. Raises `CONFIG_INVALID` when the
 * folder cannot be written to.
 */
export function questionKey(dataDir: string): Uint8Array {
  return derivedKey(keyOf(dataDir), 'questions to clients');
}

/** Returns the key that seals stored definitions of tools. Raises `CONFIG_INVALID` when the folder cannot be written to. */
export function definitionKey(dataDir: string): SealingKey {
  return derivedSealingKey(keyOf(dataDir), { id: 'definitions', key: 'definitions of tools' });
}

/** Returns the key that seals logins to servers. Raises `CONFIG_INVALID` when the folder cannot be written to. */
export function loginKey(dataDir: string): SealingKey {
  return derivedSealingKey(keyOf(dataDir), { id: 'logins', key: 'logins to servers' });
}

/** Returns a sealing key that is derived from the key of journals, by the purposes of its id and of itself. */
export function derivedSealingKey(key: Buffer, purpose: { readonly id: string; readonly key: string }): SealingKey {
  const id = derivedKey(key, `id of the key for ${purpose.id}`).subarray(0, KEY_ID_BYTES);
  return { id, key: createSecretKey(derivedKey(key, purpose.key)) };
}

/** Returns a name of a text for others, who cannot compute or guess the text from it: 132 bits. */
export function keyedName(key: Buffer, text: string): string {
  return createHmac('sha256', derivedKey(key, 'names for others'))
    .update(text)
    .digest('base64url')
    .slice(0, NAME_CHARACTERS);
}

function derivedKey(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(purpose).digest();
}

function keyOf(dataDir: string): Buffer {
  return journalKey(dataFolder(dataDir).journalKey);
}

/** Raises `CONFIG_INVALID` if the data folder has a key of journals that is damaged or unreadable. Creates none. */
export function checkJournalKey(dataDir: string): void {
  readKey(dataFolder(dataDir).journalKey);
}

/** Returns the key; undefined if there is none. */
function readKey(path: string): Buffer | undefined {
  let key: Buffer;
  try {
    key = readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw dataFolderError(dirname(path), cause);
  }
  if (key.length === KEY_BYTES) return key;
  const message = `${path} is damaged: it has ${key.length} bytes, and a key of journals has ${KEY_BYTES}. Restore it from a backup. Without one, move it away: then no earlier execution can be read or continued, servers need new logins, and their tools a new approval.`;
  throw new ToolwrightError('CONFIG_INVALID', message, { details: { part: 'dataFolder', file: 'journal.key' } });
}

/** Another process may create the key at the same time: the first one wins. */
function createKey(path: string): Buffer {
  createOnce(path, randomBytes(KEY_BYTES));
  const key = readKey(path);
  if (key) return key;
  throw dataFolderError(dirname(path), new Error(`${path} was removed while it was created`));
}

/** The texts of keys. Each call of a tool needs several codes. */
const keyTexts = new WeakMap<Buffer, string>();

/**
 * Returns the authentication code of texts: a part of SHA-256 over the key and the texts. The part that is left out
 * keeps others from extending a text; HMAC would cost every tool call three times as much.
 */
export function codeOf(key: Buffer, ...texts: readonly string[]): string {
  const start = keyTexts.get(key) ?? key.toString('base64');
  keyTexts.set(key, start);
  if (isLong(texts)) {
    const hashing = createHash('sha256').update(start);
    for (const text of texts) hashing.update(`${text.length}:`).update(text);
    return hashing.digest('base64url').slice(0, CODE_CHARACTERS);
  }
  let input = start;
  for (const text of texts) input += `${text.length}:${text}`;
  return hash('sha256', input, 'base64url').slice(0, CODE_CHARACTERS);
}

/** Returns whether texts should not be joined. */
export function isLong(texts: readonly string[]): boolean {
  for (const { length } of texts) if (length >= MIN_LONG_CHARACTERS) return true;
  return false;
}

/** Adds a code to each line of a journal that depends on all lines before. */
export interface Chain {
  /** Returns a line with its code: a JSON object whose first members, `entry` and `at`, are in `head`. */
  seal(head: string, rest: string): string;
  /** Returns the bytes of a line with its code and its end, as {@link seal}; `rest` is in pieces, each of which is written once. */
  sealLong(head: string, rest: readonly string[]): Buffer;
  /** Returns whether a line is the next one of the journal. */
  accepts(line: string): boolean;
  /** Returns the code of the last line. */
  last(): string;
  /** Continues after the line with this code: the lines after it were not written. */
  continueAfter(code: string): void;
}

/** Starts the chain of the journal of one execution. */
export function createChain(key: Buffer, executionId: string): Chain {
  let last = executionId;
  return {
    seal(head, rest) {
      last = codeOf(key, last, head, rest);
      return `${withCode(head, last)}${rest}`;
    },
    sealLong(head, rest) {
      const sizes = rest.map((text) => Buffer.byteLength(text));
      const start = Buffer.byteLength(withCode(head, ''.padEnd(CODE_CHARACTERS)));
      const line = Buffer.allocUnsafe(sum(sizes) + start + 1);
      let end = start;
      for (const text of rest) end += line.write(text, end);
      line[end] = NEWLINE;
      const characters = sum(rest.map(({ length }) => length));
      const before = `${key.toString('base64')}${last.length}:${last}${head.length}:${head}${characters}:`;
      const hashing = createHash('sha256').update(before).update(line.subarray(start, end));
      last = hashing.digest('base64url').slice(0, CODE_CHARACTERS);
      line.write(withCode(head, last));
      return line;
    },
    accepts(line) {
      const [start = '', head = '', code] = LINE.exec(line) ?? [];
      if (code === undefined || codeOf(key, last, head, line.slice(start.length)) !== code) return false;
      last = code;
      return true;
    },
    last: () => last,
    continueAfter(code) {
      last = code;
    },
  };
}

function withCode(head: string, code: string): string {
  return `${head},"code":"${code}"`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
