import { parseConfig } from '@toolwright/core/config';
import { ToolwrightError } from '@toolwright/core/errors';
import type { FoundServer, FoundServers } from './client.ts';

/** An entry in the making. */
export interface Draft {
  readonly entry: Record<string, unknown>;
  readonly notes: string[];
}

/** Takes over one key of a client's entry. */
export type Rule = (value: unknown, draft: Draft) => void;

/** How the entries of a client become entries of Toolwright. */
export interface Conversion {
  /** The rule of each key. Any other key is left out, with a note. */
  readonly rules: Readonly<Record<string, Rule>>;
  /** Converts the references in a text. Default: none. */
  readonly text?: (text: string, draft: Draft) => string;
  /** Returns whether the client has disabled a server outside of its entry. */
  readonly isDisabled?: (name: string) => boolean;
  /** Returns why Toolwright cannot run a server; undefined for a normal one. */
  readonly refuse?: (entry: Readonly<Record<string, unknown>>) => string | undefined;
}

/** Takes a key over under its own or another name. */
export function take(name: string): Rule {
  return (value, { entry }) => {
    entry[name] = value;
  };
}

/** Takes an object over, in addition to members that other keys have given. */
export function merged(name: string): Rule {
  return (value, { entry }) => {
    if (!isRecord(value)) entry[name] = value;
    // Serializers write absent members as null.
    else entry[name] = { ...(entry[name] as object | undefined), ...withoutNull(value) };
  };
}

/** Leaves a key out without a note: it has no meaning outside of the client. */
export const drop: Rule = () => undefined;

/** Leaves a key out with a note. */
export function noted(note: string): Rule {
  return (_value, { notes }) => void notes.push(note);
}

/** Takes over a number of seconds. */
export function seconds(name: string): Rule {
  return (value, { entry, notes }) => {
    const number = numberOf(value);
    if (typeof number === 'number' && number > 0) entry[name] = Math.ceil(number * 1_000);
    else notes.push(`left out the limit ${JSON.stringify(value)}, which is not a number of seconds`);
  };
}

/** Takes over a number of milliseconds. */
export function milliseconds(name: string): Rule {
  return (value, { entry }) => {
    entry[name] = numberOf(value);
  };
}

/** Takes over a list of tools, or one of them, that are allowed or denied. */
export function tools(kind: 'allow' | 'deny'): Rule {
  return (value, { entry }) => {
    entry.tools = { ...(entry.tools as object | undefined), [kind]: typeof value === 'string' ? [value] : value };
  };
}

/** The keys that all clients have. */
export const COMMON: Conversion['rules'] = {
  command: take('command'),
  args: take('args'),
  env: merged('env'),
  cwd: take('cwd'),
  url: take('url'),
  headers: merged('headers'),
  description: take('description'),
  type: (value, { entry }) => {
    if (value === 'sse' || value === 'http') entry.type = value;
  },
  disabled: (value, { entry }) => {
    if (isYes(value)) entry.enabled = false;
  },
  enabled: (value, { entry }) => {
    if (isNo(value)) entry.enabled = false;
  },
};

function isYes(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:true|yes|on|1)$/i.test(value.trim()));
}

function isNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(?:false|no|off|0)$/i.test(value.trim()));
}

/** Returns the number of its digits in a text; any other value as it is. */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^\s*\d{1,12}(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
}

function withoutNull(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Returns an object with servers; an empty one for none. Raises `CONFIG_INVALID` for any other value, whose servers nobody would miss. */
export function serversIn(value: unknown, file: string, path: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  const kind = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new ToolwrightError(
    'CONFIG_INVALID',
    `${file}: "${path}" is ${kind}; expected an object with one entry per server.`,
  );
}

/** Converts the servers of a client. One wrong server does not hide the others. */
export function convertServers(servers: Iterable<readonly [string, unknown]>, conversion: Conversion): FoundServers {
  const found: FoundServer[] = [];
  const left: { name: string; reason: string }[] = [];
  for (const [name, raw] of servers) {
    const converted = convert(name, raw, conversion);
    if (typeof converted === 'string') left.push({ name, reason: converted });
    else found.push(converted);
  }
  return { servers: found, left };
}

function convert(name: string, raw: unknown, { rules, text, refuse, isDisabled }: Conversion): FoundServer | string {
  if (!isRecord(raw)) return 'its entry is no object';
  const reason = refuse?.(raw);
  if (reason !== undefined) return reason;
  const draft: Draft = { entry: {}, notes: [] };
  for (const [key, value] of Object.entries(raw)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule && value !== undefined && value !== null) rule(value, draft);
    else if (!rule) draft.notes.push(`left out "${key}", which Toolwright does not have`);
  }
  if (isDisabled?.(name)) draft.entry.enabled = false;
  const entry =
    text === undefined ? draft.entry : (mapTexts(draft.entry, (part) => text(part, draft)) as Draft['entry']);
  const variables = variablesOf(entry);
  const problem = problemOf(name, entry, variables);
  if (problem !== undefined) return problem;
  const unset = variables.filter((variable) => !process.env[variable]);
  if (unset.length > 0) draft.notes.push(`set ${unset.join(', ')} in the environment of Toolwright`);
  return { name, entry, notes: [...new Set(draft.notes)] };
}

/** Returns why Toolwright cannot start an entry. Its variables count as set. */
export function problemOf(
  name: string,
  entry: Draft['entry'],
  variables: readonly string[] = variablesOf(entry),
): string | undefined {
  const env = Object.fromEntries(variables.map((variable) => [variable, 'http://variable.invalid/']));
  const { invalidServers } = parseConfig({ mcpServers: { [name]: { ...entry, enabled: true } } }, { env });
  const problems = [...invalidServers.values()].flatMap((server) => server.problems);
  return problems.map((line) => line.replace(`mcpServers.${name}.`, '')).join('; ') || undefined;
}

/** Returns the variables without a default that an entry refers to. */
function variablesOf(entry: unknown): string[] {
  const found = JSON.stringify(entry).matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)\}/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

/** Returns whether a value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
