import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { PiiError } from '../../errors.ts';
import { ownershipProblem } from '../ownership.ts';
import { KEY_ID_BYTES, type SealingKey } from './sealing.ts';

/** The environment variables of the master key, and of older keys, separated by commas. */
export const MASTER_KEY_VARIABLE = 'TOOLWRIGHT_MASTER_KEY';
export const OLD_MASTER_KEYS_VARIABLE = 'TOOLWRIGHT_OLD_MASTER_KEYS';
const KEY_BYTES = 32;
/** Maximum bytes of a key file, which has a line per key. */
const MAX_FILE_BYTES = 64 * 1024;
const { O_RDONLY, O_NONBLOCK = 0 } = constants;
const ID_LABEL = 'toolwright master key id';

/** The master keys. The current one wraps the keys of sessions; all of them unwrap. */
export interface Keyring {
  readonly current: SealingKey;
  /** All keys, by their id in hex. */
  readonly byId: ReadonlyMap<string, SealingKey>;
}

/** The sources of master keys. */
export interface KeySource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Read without a key in the environment, and created if missing. One key per line, the current one first. */
  readonly file: string;
}

/**
 * Loads the master keys of the environment, else of the file, else creates one in the file, readable by this user only.
 * Raises `CONFIG_INVALID` for a key that is not 32 bytes in base64 or hex. Raises it for a file that other users own or can read, too.
 */
export function loadKeyring({ env, file }: KeySource): Keyring {
  const current = env[MASTER_KEY_VARIABLE]?.trim();
  const old = (env[OLD_MASTER_KEYS_VARIABLE] ?? '').split(',').map((text) => text.trim());
  if (current) return keyringOf([current, ...old.filter(Boolean)], MASTER_KEY_VARIABLE);
  if (old.some(Boolean)) {
    throw invalid(`${OLD_MASTER_KEYS_VARIABLE} is set, but ${MASTER_KEY_VARIABLE} is not. Set both.`);
  }
  return keyringOf(readKeyFile(file), `The key file ${file}`);
}

/** Returns a keyring with a new random key, which exists in this process only. */
export function newKeyring(): Keyring {
  return keyringOf([randomBytes(KEY_BYTES).toString('base64')], 'A new key');
}

/** Returns a keyring of keys in text form, the current one first. Errors contain `where` as their source, and no key. */
export function keyringOf(texts: readonly string[], where: string): Keyring {
  const keys = texts.map((text, index) => parseKey(text, texts.length > 1 ? `${where} (key ${index + 1})` : where));
  const [current] = keys;
  if (current === undefined) throw invalid(`${where} has no key. ${HOW_TO_MAKE_ONE}`);
  return { current, byId: new Map(keys.map((key) => [key.id.toString('hex'), key])) };
}

const HOW_TO_MAKE_ONE = 'Create one with: openssl rand -base64 32';

function parseKey(text: string, where: string): SealingKey {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[\w+/-]+={0,2}$/.test(text)
      ? Buffer.from(text, 'base64')
      : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES) {
    const found = bytes.length === 0 ? 'in neither form' : `${bytes.length} bytes`;
    throw invalid(`${where} must be ${KEY_BYTES} bytes in base64 or hex, and is ${found}. ${HOW_TO_MAKE_ONE}`);
  }
  return withId(createSecretKey(bytes));
}

/** Adds the id, which is derived from the key: a key has the same id in all processes. */
function withId(key: KeyObject): SealingKey {
  return { key, id: createHmac('sha256', key).update(ID_LABEL).digest().subarray(0, KEY_ID_BYTES) };
}

function readKeyFile(file: string): string[] {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) createKeyFile(file);
  const opened = openSync(file, O_RDONLY | O_NONBLOCK);
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES)
      throw invalid(`The key file ${file} is no file of at most ${MAX_FILE_BYTES} bytes. ${HOW_TO_MAKE_ONE}`);
    const problem = ownershipProblem(file, stats, { kind: 'secret' });
    if (problem !== undefined) throw invalid(`The key file ${problem}`);
    const buffer = Buffer.alloc(stats.size);
    return buffer
      .toString('utf8', 0, readSync(opened, buffer, 0, buffer.length, 0))
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  } finally {
    closeSync(opened);
  }
}

/** Creates the file under another name and links it: two processes that start at once then read the same complete key. */
function createKeyFile(file: string): void {
  makeFolder(dirname(file), file);
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(aside, 0o600);
  try {
    linkSync(aside, file);
  } catch (error) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Creates a folder and its parents. With `recursive`, Node never ends where a file system creates no folders, as `/proc`. */
function makeFolder(folder: string, file: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), file);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process was faster.
    if (existsSync(folder)) return;
    const { code } = cause as NodeJS.ErrnoException;
    throw invalid(`The key file ${file} cannot be created: its folder ${folder} cannot (${code}). ${HOW_TO_MAKE_ONE}`);
  }
}

function invalid(message: string): PiiError {
  return new PiiError('CONFIG_INVALID', message);
}
