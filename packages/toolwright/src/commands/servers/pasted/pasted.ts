import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { UsageError } from '@toolwright/core/command';
import { parseConfigText } from '@toolwright/core/config';
import { isRecord } from '../../../clients/entry.ts';

/** A server as a person pasted it. */
export interface PastedServer {
  readonly name: string;
  readonly entry: Record<string, unknown>;
  /** The form in which the text was understood, where it is not the obvious one. */
  readonly note?: string;
}

/** The folders by which paths are understood. */
export interface PastePlace {
  /** Absolute folder of the user. */
  readonly cwd: string;
  /** Absolute path of the configuration file. */
  readonly file: string;
}

/** The objects with servers in the files of clients, and in the READMEs of servers. */
const GROUPS = ['mcpServers', 'servers', 'context_servers', 'mcp'];
const KINDS = ['command', 'url', 'serverUrl', 'httpUrl', 'openapi', 'graphql'];
const DESCRIPTION = /\.(json|ya?ml)$/i;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/i;
/** `localhost:3000`, `mcp.example.com/mcp`, `[::1]:80`: a host with a port or a path, without a scheme. */
const HOST = /^(localhost|\[[\da-f:]+\]|[a-z\d-]+(\.[a-z\d-]+)*)(:\d{1,5}(\/\S*)?|\/\S*)$/i;

/** Returns the servers of a JSON block: an entry, an object with entries, or the file of a client. Undefined for another text. */
export function pastedJson(text: string, name?: string): PastedServer[] | undefined {
  const json = text.trim().replace(/^```\w*\s*|\s*```$/g, '');
  if (!/^[{"]/.test(json)) return undefined;
  // READMEs show the member of an object too: "github": { … }
  const root = parseConfigText('The pasted text', json.startsWith('{') ? json : `{${json.replace(/,\s*$/, '')}}`);
  const group = GROUPS.map((key) => root[key]).find(isRecord);
  // The settings of VS Code have their servers one level deeper.
  const inner = isRecord(root.mcp) && isRecord(root.mcp.servers) ? root.mcp.servers : undefined;
  const servers = inner ?? group ?? root;
  if (KINDS.some((kind) => typeof servers[kind] === 'string')) {
    if (name === undefined)
      throw new UsageError('The pasted server has no name. Give it one: servers add NAME \'{ "command": … }\'.');
    return [{ name, entry: ownKeys(servers) }];
  }
  const found = Object.entries(servers).filter((member): member is [string, Record<string, unknown>] =>
    isRecord(member[1]),
  );
  if (found.length === 0) throw new UsageError('The pasted JSON has no server: expected an object with "mcpServers".');
  if (name !== undefined && found.length > 1)
    throw new UsageError(`The pasted JSON has ${found.length} servers. Leave the name ${name} out to add all of them.`);
  return found.map(([own, entry]) => ({ name: name ?? own, entry: ownKeys(entry) }));
}

function ownKeys({ serverUrl, httpUrl, ...entry }: Record<string, unknown>): Record<string, unknown> {
  return { ...entry, url: entry.url ?? serverUrl ?? httpUrl };
}

/** Returns the server of one text: an address, a description of an API, or a whole command line. Undefined for the name of a program. */
export function pastedText(name: string, text: string, place: PastePlace): PastedServer | undefined {
  const isAddress = /^https?:\/\//i.test(text);
  if (isAddress && DESCRIPTION.test(new URL(text).pathname))
    return { name, entry: { openapi: text }, note: `${text} is read as an OpenAPI description` };
  if (isAddress) return undefined;
  const isFile = existsSync(resolve(place.cwd, text));
  if (DESCRIPTION.test(text) && !/\s/.test(text)) {
    if (!isFile) throw new UsageError(`There is no file ${resolve(place.cwd, text)}.`);
    const path = relative(dirname(place.file), resolve(place.cwd, text));
    return { name, entry: { openapi: /^\.{1,2}[/\\]/.test(path) ? path : `./${path}` } };
  }
  if (isFile) return undefined;
  if (HOST.test(text)) {
    const url = new URL(`${LOCAL_HOST.test(text) ? 'http' : 'https'}://${text}`);
    if (url.pathname === '/') url.pathname = '/mcp';
    return { name, entry: { url: url.href }, note: `${text} is read as ${url.href}` };
  }
  return /\s/.test(text.trim()) ? commandLine(name, text) : undefined;
}

/** Splits a command line like a shell, with its variables in front. A line that needs a shell is a mistake. */
function commandLine(name: string, text: string): PastedServer {
  const words = wordsOf(text.trim().replace(/^[$>]\s+/, ''));
  const operator = words.find(({ raw }) => /^([|&;<>]|\d?>)/.test(raw));
  if (operator)
    throw new UsageError(
      `"${operator.raw}" needs a shell. Write a script, and add it: servers add ${name} -- ./script.sh`,
    );
  const first = words.findIndex(({ raw }) => !/^[A-Za-z_]\w*=/.test(raw));
  const [command, ...args] = words.slice(Math.max(first, 0)).map(({ value }) => value);
  const env = words
    .slice(0, first)
    .map(({ value }) => [value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1)]);
  return {
    name,
    entry: {
      command,
      args: args.length > 0 ? args : undefined,
      env: env.length > 0 ? Object.fromEntries(env) : undefined,
    },
    note: `the text is read as the program ${command} with ${args.length} arguments`,
  };
}

/** Returns the words of a line. Single quotes keep their text, double quotes have `\"` and `\\`. */
function wordsOf(text: string): { readonly raw: string; readonly value: string }[] {
  const words = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((raw) => ({
    raw,
    value: raw.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
      (_all, double?: string, single?: string, escaped?: string) =>
        double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  }));
}
