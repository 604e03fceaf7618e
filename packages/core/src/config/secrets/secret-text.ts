import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readRegularText } from '@toolwright/connectors/read-file';
import { messageOf, ToolwrightError } from '../../errors.ts';
import { type Environment, expandVariables } from '../variables.ts';
import { type Keychain, openKeychain } from './keychain.ts';
import { replaceSecrets, type SecretReference, secretReferences } from './references.ts';
import { type SecretCommands, secretCommand } from './settings.ts';

/** Where secrets are read from. */
export interface SecretReaderOptions {
  /** Absolute folder of relative paths. */
  readonly folder: string;
  readonly commands: SecretCommands;
  /** Opens the keychain of the operating system. */
  readonly keychain?: () => Promise<Keychain>;
}

/** Fills the references to secrets in a text. `place` is its path in the configuration, for errors. */
type FillText = (text: string, place: string) => Promise<string>;

/** The longest secret, in bytes. */
const MAX_SECRET_BYTES = 64 * 1024;
/** Milliseconds for a command: a person may have to unlock a password manager. */
const COMMAND_TIMEOUT_MS = 60_000;
const ONE_PASSWORD = ['op', 'read', '--no-newline', 'op:{}'];

const run = promisify(execFile);

/**
 * Fills the variables and the secrets of one text of the configuration, such as a client secret. Raises `CONFIG_INVALID`, which
 * names the place and the reference, and never a value.
 */
export async function readSecretText(
  text: string,
  place: string,
  { env = process.env, ...options }: SecretReaderOptions & { readonly env?: Environment },
): Promise<string> {
  const { text: expanded, problems } = expandVariables(text, env);
  if (problems.length > 0) throw invalid(`${place}: ${problems.join('; ')}`);
  return fillText(options)(expanded, place);
}

/** Creates the function that fills references to secrets. It raises `CONFIG_INVALID` like {@link readSecretText}. */
export function fillText({ folder, commands, keychain = openKeychain }: SecretReaderOptions): FillText {
  function read({ source, name }: SecretReference): Promise<string> {
    if (source === 'file') return readSmall(secretPath(folder, name));
    if (source === 'keychain') return fromKeychain(name, keychain);
    if (source === 'command') return fromCommand(commandWords(name), folder);
    const words = source === 'op' ? (commands.op ?? ONE_PASSWORD) : commands[source];
    if (words === undefined) throw new Error('its source is unknown; "secrets" of the configuration adds sources');
    return fromCommand(secretCommand(words, name), folder);
  }

  async function secretOf(reference: SecretReference, place: string): Promise<[string, string]> {
    try {
      const value = (await read(reference)).replace(/\r?\n$/, '');
      if (value === '') throw new Error('it is empty');
      return [reference.whole, value];
    } catch (error) {
      throw invalid(`${place}: ${reference.whole} cannot be read: ${messageOf(error)}`);
    }
  }

  return async (text, place) => {
    const references = secretReferences(text);
    if (references.length === 0) return text;
    return replaceSecrets(text, new Map(await Promise.all(references.map((reference) => secretOf(reference, place)))));
  };
}

/** Returns the absolute path of a file with secrets. */
export function secretPath(folder: string, name: string): string {
  return resolve(folder, name.startsWith('~/') ? join(homedir(), name.slice(2)) : name);
}

/** Reads a file with secrets, of at most 64 KiB. Rejects with an `UnreadableFile`. */
export function readSmall(path: string): Promise<string> {
  return readRegularText(path, MAX_SECRET_BYTES);
}

async function fromKeychain(name: string, keychain: () => Promise<Keychain>): Promise<string> {
  const value = (await keychain()).read(name);
  if (value !== undefined) return value;
  throw new Error(`the keychain has no such entry. Run "toolwright servers secret ${name}" to store it`);
}

/** Runs a command without a shell. Its output is secret, also that on stderr, so no error quotes it. */
async function fromCommand(words: readonly string[] | undefined, cwd: string): Promise<string> {
  const [command, ...args] = words ?? [];
  if (command === undefined) throw new Error('a quote is not closed, or the command is empty');
  const options = { cwd, timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_SECRET_BYTES, windowsHide: true };
  try {
    const running = run(command, args, options);
    running.child.stdin?.end();
    return (await running).stdout;
  } catch (error) {
    throw new Error(commandProblem(command, error as NodeJS.ErrnoException & { killed?: boolean }));
  }
}

function commandProblem(command: string, { code, killed }: NodeJS.ErrnoException & { killed?: boolean }): string {
  if (code === 'ENOENT') return `the program ${command} is not installed, or not in PATH`;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `it is longer than ${MAX_SECRET_BYTES} bytes`;
  if (killed) return `${command} did not end within ${COMMAND_TIMEOUT_MS} ms`;
  return `${command} failed with ${code ?? 'a signal'}. Run it by hand to see why`;
}

/** Returns the error of a text that cannot be filled. */
export function invalid(text: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', `${text}.`);
}

/**
 * Splits a command line into words, as a shell does for plain words and quotes. Nothing is expanded: no variables, no
 * globs, no pipes. Returns undefined for an open quote.
 */
export function commandWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const [word] = /^(?:[^\s"']+|"[^"]*"|'[^']*')+/.exec(rest) ?? [];
    if (word === undefined || (rest.length > word.length && !/\s/.test(rest.charAt(word.length)))) return undefined;
    words.push(
      word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
    );
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}
