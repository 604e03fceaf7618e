import { isRecord } from '../../../clients/entry.ts';
import type { RegistryServer } from './client.ts';

/** How Toolwright would run a server of a registry. */
interface RegistryEntry {
  /** An entry of `mcpServers`. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Facts that a person should know: variables to set, left out values. */
  readonly notes: readonly string[];
}

const NPM = /^(?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~][\w.~-]*$/i;
const PYPI = /^[a-z\d](?:[\w.-]*[a-z\d])?$/i;
const IMAGE = /^[a-z\d][\w./:@-]*$/i;
const VERSION = /^[\w.+-]+$/;

/** The results of reading the inputs of a server, next to their values. */
interface Inputs {
  readonly notes: string[];
  /** Reasons against the package. */
  readonly refused: string[];
  /** The variables that its values refer to. */
  readonly unset: Set<string>;
}

const VARIABLE = /^[A-Za-z_]\w*$/;

/**
 * Returns the entry for the first package or remote address that Toolwright can use, else the reasons against each. Secrets and missing
 * values become references such as `${API_KEY}`.
 */
export function entryOf({
  packages,
  remotes,
}: RegistryServer): RegistryEntry | { readonly reasons: readonly string[] } {
  const reasons: string[] = [];
  for (const [part, read] of [
    ...packages.map((each) => [each, packageEntry] as const),
    ...remotes.map((each) => [each, remoteEntry] as const),
  ]) {
    const found = read(part);
    if (typeof found !== 'string') return found;
    reasons.push(found);
  }
  return { reasons: reasons.length > 0 ? reasons : ['it has neither a package nor a remote address'] };
}

function packageEntry(part: Record<string, unknown>): RegistryEntry | string {
  const { registryType, identifier, version, runtimeHint, transport } = part;
  const kind = String(registryType);
  const name = String(identifier ?? '');
  if (isRecord(transport) && transport.type !== undefined && transport.type !== 'stdio')
    return `the package ${name} opens a port of its own. Start it by hand, and add its URL`;
  const inputs: Inputs = { notes: [], refused: [], unset: new Set() };
  const env = environmentOf(part.environmentVariables, inputs);
  const runtime = argumentsOf(part.runtimeArguments, inputs);
  const own = argumentsOf(part.packageArguments, inputs);
  const start = startOf({ kind, name, version, hint: String(runtimeHint ?? ''), runtime, variables: Object.keys(env) });
  if (typeof start === 'string') return start;
  const entry = { ...start, args: [...start.args, ...own], env: Object.keys(env).length > 0 ? env : undefined };
  return finished(entry, inputs);
}

interface Start {
  readonly kind: string;
  readonly name: string;
  readonly version: unknown;
  readonly hint: string;
  readonly runtime: readonly string[];
  readonly variables: readonly string[];
}

/** Returns the command that fetches and starts a package, or why there is none. */
function startOf({
  kind,
  name,
  version,
  hint,
  runtime,
  variables,
}: Start): { command: string; args: string[] } | string {
  const wrong = `the name or the version of its package is invalid`;
  if (version !== undefined && !VERSION.test(String(version))) return wrong;
  const at = version === undefined ? '' : `@${version}`;
  const without = (...words: string[]) => runtime.filter((word) => !words.includes(word));
  if (kind === 'npm') {
    if (!NPM.test(name)) return wrong;
    return {
      command: hint === 'bunx' ? hint : 'npx',
      args: [...(hint === 'bunx' ? [] : ['-y']), ...without('-y', '--yes'), `${name}${at}`],
    };
  }
  if (kind === 'pypi') return PYPI.test(name) ? { command: 'uvx', args: [...runtime, `${name}${at}`] } : wrong;
  if (kind === 'oci') {
    if (!IMAGE.test(name)) return wrong;
    const isTagged = /(?::[\w.-]+|@sha256:[a-f\d]+)$/.test(name.slice(name.lastIndexOf('/') + 1));
    const passed = variables.flatMap((variable) => ['-e', variable]);
    const image = isTagged || version === undefined ? name : `${name}:${version}`;
    return {
      command: hint === 'podman' ? hint : 'docker',
      args: ['run', '-i', '--rm', ...passed, ...without('run', '-i', '--rm', '--interactive'), image],
    };
  }
  return `Toolwright starts no packages of the kind "${kind}"`;
}

function environmentOf(variables: unknown, inputs: Inputs): Record<string, string> {
  const list = Array.isArray(variables) ? variables.filter(isRecord) : [];
  const entries = list.flatMap((input) => {
    const name = String(input.name ?? '');
    if (!/^[A-Za-z_]\w*$/.test(name)) return [];
    const value = inputValue(input, name, inputs);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function remoteEntry(part: Record<string, unknown>): RegistryEntry | string {
  const { type, headers } = part;
  if (type !== 'streamable-http' && type !== 'sse' && type !== 'http') return `it has no transport "${String(type)}"`;
  const inputs: Inputs = { notes: [], refused: [], unset: new Set() };
  const url = inputValue({ ...part, value: part.url, isRequired: true }, 'URL', inputs) ?? '';
  if (!/^https?:\/\//.test(url)) return 'the address of the server is no URL';
  const list = Array.isArray(headers) ? headers.filter(isRecord) : [];
  const given = list.flatMap((input) => {
    const name = String(input.name ?? '');
    const value = name === '' ? undefined : inputValue(input, variableName(name), inputs);
    return value === undefined ? [] : [[name, value] as const];
  });
  const parts = { type: type === 'sse' ? 'sse' : 'http', url };
  return finished({ ...parts, headers: given.length > 0 ? Object.fromEntries(given) : undefined }, inputs);
}

function variableName(name: string): string {
  return name.toUpperCase().replace(/\W/g, '_');
}

function finished(entry: Record<string, unknown>, { notes, refused, unset }: Inputs): RegistryEntry | string {
  const [first] = refused;
  if (first !== undefined) return first;
  const variables = [...unset].filter((name) => !process.env[name]);
  const missing = variables.length > 0 ? [`set ${variables.join(', ')} in the environment of Toolwright`] : [];
  return { entry, notes: [...notes, ...missing] };
}

/**
 * Returns the value of an input: its fixed value, its default, or a reference to the variable `name`. Undefined for an optional one
 * without a value.
 */
function inputValue(input: Record<string, unknown>, name: string, inputs: Inputs): string | undefined {
  const fixed = textOf(input.value);
  if (fixed !== undefined) {
    const variables = isRecord(input.variables) ? input.variables : {};
    return checked(fixed, inputs).replace(/\{([\w-]+)\}/g, (whole, key: string) => {
      if (!Object.hasOwn(variables, key)) return whole;
      const inner = isRecord(variables[key]) ? variables[key] : {};
      return inputValue({ ...inner, isRequired: true }, key.toUpperCase().replace(/\W/g, '_'), inputs) ?? '';
    });
  }
  const byDefault = textOf(input.default);
  if (byDefault !== undefined && byDefault !== '' && input.isSecret !== true) return checked(byDefault, inputs);
  if (input.isRequired === true || input.isSecret === true) return reference(name, inputs);
  inputs.notes.push(`left out the optional ${name}`);
  return undefined;
}

/** Returns the words of arguments: a value for each place, and a name before each named one. */
function argumentsOf(list: unknown, inputs: Inputs): string[] {
  return (Array.isArray(list) ? list.filter(isRecord) : []).flatMap((input) => {
    const isNamed = input.type === 'named';
    const name = isNamed ? checked(String(input.name ?? ''), inputs) : '';
    const label = String(input.valueHint ?? input.name ?? 'ARGUMENT')
      .replace(/^-+/, '')
      .toUpperCase()
      .replace(/\W/g, '_');
    const isFlag = isNamed && input.value === undefined && input.default === undefined && input.valueHint === undefined;
    if (isFlag && input.isSecret !== true && input.format === undefined)
      return input.isRequired === false ? [] : [name];
    if (input.isSecret === true) {
      // Other users of the machine can read command lines.
      inputs.notes.push(`${label} is a secret in an argument, which other users of this machine can read`);
    }
    const value = inputValue(input, label, inputs);
    if (value === undefined) return [];
    return isNamed ? [name, value] : [value];
  });
}

function reference(name: string, inputs: Inputs): string {
  const variable = VARIABLE.test(name) ? name : `_${name.replace(/\W/g, '_')}`;
  inputs.unset.add(variable);
  return `\${${variable}}`;
}

/** A reference of the publisher would send any variable of this machine to the server. */
function checked(text: string, inputs: Inputs): string {
  if (text.includes('${')) inputs.refused.push('a value of it refers to a variable of this machine');
  return text;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
