import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import type {
  ApiAuth,
  FillSecrets,
  HttpServerConfig,
  OAuthSettings,
  ServerConfig,
  StdioServerConfig,
} from '../../connectors/server-config.ts';
import { messageOf, ToolwrightError } from '../../errors.ts';
import { type Keychain, openKeychain } from './keychain.ts';
import { replaceSecrets, type SecretReference, secretReferences } from './references.ts';
import { type SecretCommands, secretCommand } from './settings.ts';
import { commandWords } from './words.ts';

/** Where secrets are read from. */
export interface SecretReaderOptions {
  /** Absolute folder of relative paths. */
  readonly folder: string;
  readonly commands: SecretCommands;
  /** Opens the keychain of the operating system. */
  readonly keychain?: () => Promise<Keychain>;
}

/** The longest secret, in bytes. */
const MAX_SECRET_BYTES = 64 * 1024;
/** Milliseconds for a command: a person may have to unlock a password manager. */
const COMMAND_TIMEOUT_MS = 60_000;
const ONE_PASSWORD = ['op', 'read', '--no-newline', 'op:{}'];

const run = promisify(execFile);

/**
 * Creates the reader of secrets. It reads them again for each call, so that a changed secret counts at the next connection
 * of its server. Errors name the reference, and never its value.
 */
export function createSecretReader({ folder, commands, keychain = openKeychain }: SecretReaderOptions): FillSecrets {
  const pathOf = (name: string) => resolve(folder, name.startsWith('~/') ? join(homedir(), name.slice(2)) : name);

  function read({ source, name }: SecretReference): Promise<string> {
    if (source === 'file') return readSmall(pathOf(name));
    if (source === 'keychain') return fromKeychain(name, keychain);
    if (source === 'command') return fromCommand(commandWords(name), folder);
    return fromCommand(secretCommand(commands[source] ?? ONE_PASSWORD, name), folder);
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

  async function filled(text: string, place: string): Promise<string> {
    const references = secretReferences(text);
    if (references.length === 0) return text;
    return replaceSecrets(text, new Map(await Promise.all(references.map((reference) => secretOf(reference, place)))));
  }

  async function allFilled(values: Readonly<Record<string, string>> | undefined, place: string) {
    if (values === undefined) return undefined;
    const entries = Object.entries(values).map(async ([key, text]) => [key, await filled(text, `${place}.${key}`)]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
  }

  async function stdioFilled(config: StdioServerConfig, place: string): Promise<StdioServerConfig> {
    const { envFile, ...others } = config;
    const fromFile = envFile === undefined ? {} : await readVariables(pathOf(envFile), `${place}.envFile`);
    const own = await allFilled(config.env, `${place}.env`);
    return envFile === undefined && own === undefined ? config : { ...others, env: { ...fromFile, ...own } };
  }

  async function httpFilled(config: Exclude<ServerConfig, StdioServerConfig>, place: string): Promise<ServerConfig> {
    const headers = await allFilled(config.headers, `${place}.headers`);
    const filledConfig = { ...config, ...(headers && { headers }) };
    if ('url' in filledConfig) {
      const url = await filled(filledConfig.url, `${place}.url`);
      const { oauth } = filledConfig;
      if (typeof oauth !== 'object') return { ...filledConfig, url } satisfies HttpServerConfig;
      return { ...filledConfig, url, oauth: await oauthFilled(oauth, `${place}.oauth`) } satisfies HttpServerConfig;
    }
    const { auth } = filledConfig;
    return auth === undefined ? filledConfig : { ...filledConfig, auth: await authFilled(auth, `${place}.auth`) };
  }

  async function oauthFilled(oauth: OAuthSettings, place: string): Promise<OAuthSettings> {
    const texts = Object.entries(oauth).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const own = await allFilled(Object.fromEntries(texts), place);
    const idp = await allFilled(oauth.idp as Record<string, string> | undefined, `${place}.idp`);
    return { ...oauth, ...own, ...(idp && { idp }) } as OAuthSettings;
  }

  async function authFilled(auth: ApiAuth, place: string): Promise<ApiAuth> {
    const texts = Object.entries(auth).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
    const parameters = 'parameters' in auth ? await allFilled(auth.parameters, `${place}.parameters`) : undefined;
    const own = await allFilled(Object.fromEntries(texts), place);
    return { ...auth, ...own, ...(parameters && { parameters }) } as ApiAuth;
  }

  return async <Config extends ServerConfig>(server: string, config: Config) => {
    const place = `mcpServers.${server}`;
    return (await ('command' in config ? stdioFilled(config, place) : httpFilled(config, place))) as Config;
  };
}

async function readVariables(path: string, place: string): Promise<Record<string, string>> {
  try {
    return { ...parseEnv(await readSmall(path)) } as Record<string, string>;
  } catch (error) {
    throw invalid(`${place}: ${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Reads a file of limited size: a path may name an endless device. */
async function readSmall(path: string): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error('there is no such file') : error;
  });
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_SECRET_BYTES + 1), 0, MAX_SECRET_BYTES + 1);
    if (bytesRead > MAX_SECRET_BYTES) throw new Error(`it is longer than ${MAX_SECRET_BYTES} bytes`);
    return buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
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

function invalid(text: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', `${text}.`);
}
