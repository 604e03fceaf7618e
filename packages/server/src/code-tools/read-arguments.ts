import { isObject } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core';
import { languageNamed, nearestKey, plainKey } from '@toolwright/core/internal';
import type { ToolSpec } from './definitions.ts';

type Fields = Readonly<Record<string, unknown>>;
/** The keywords of JSON Schema that the schemas of own tools have. */
interface ArgumentSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
}
/** A value that was read, or the problem with the fix. */
type Reading = { readonly value: unknown } | { readonly problem: string };

/** Arguments that may be a list of lines. */
const LINES: ReadonlySet<string> = new Set(['code', 'query', 'content']);
/** Names that models invent, with the argument that they mean. */
const MEANT: Readonly<Record<string, string>> = {
  script: 'code',
  source: 'code',
  program: 'code',
  input: 'code',
  lang: 'language',
  runtime: 'language',
  q: 'query',
  search: 'query',
  keywords: 'query',
  queries: 'query',
  text: 'query',
  tool: 'name',
  toolname: 'name',
  timeout: 'limits.timeoutMs',
  timeoutseconds: 'limits.timeoutMs',
  timeoutsec: 'limits.timeoutMs',
  servers: 'server',
  max: 'limit',
  maxresults: 'limit',
  topk: 'limit',
  count: 'limit',
  detail: 'detail_level',
  conversationid: 'sessionId',
  file: 'path',
  filename: 'path',
  filepath: 'path',
  data: 'content',
};
/** Short names that are accepted. */
const SHORT: Readonly<Record<string, string>> = { session: 'sessionId', timeoutMs: 'limits.timeoutMs' };
const MAX_SHOWN_CHARACTERS = 60;

/**
 * Reads the arguments of an own tool, as a model sends them. Accepts usual spellings: `js` for a language, numbers and booleans as text,
 * a list of lines, names in another case (`session_id`), short names. Ignores `null`, which some models send for absent arguments. Raises
 * `INVALID_ARGUMENTS` with all problems: unknown arguments, wrong types and missing ones.
 */
export function readArguments(tool: string, { inputSchema, accepts }: ToolSpec, input: unknown): Fields {
  const properties: Readonly<Record<string, ArgumentSchema>> = { ...inputSchema.properties, ...accepts?.properties };
  const { required = [] } = inputSchema;
  const read = readObject(parsed(input), properties);
  if ('problem' in read) throw invalidArguments(`${tool} ${read.problem}`);
  const missing = required.filter((name) => read.fields[name] === undefined && !read.failed.has(name));
  const problems = [...read.problems, ...missing.map((name) => `"${name}" is missing`)];
  if (problems.length === 0) return read.fields;
  const listed = read.isUnknown || missing.length > 0 ? ` The arguments are: ${namesOf(properties).join(', ')}.` : '';
  throw invalidArguments(`${tool}: ${problems.join('; ')}.${listed}`);
}

/** Returns the error of a call that a model can correct. */
export function invalidArguments(message: string): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}

interface ReadFields {
  readonly fields: Record<string, unknown>;
  readonly problems: readonly string[];
  /** The arguments whose values cannot be read. */
  readonly failed: ReadonlySet<string>;
  readonly isUnknown: boolean;
}

function readObject(
  input: unknown,
  properties: Readonly<Record<string, ArgumentSchema>>,
): ReadFields | { readonly problem: string } {
  if (!isObject(input)) return { problem: `takes an object with its arguments, not ${kindOf(input)}.` };
  const fields: Record<string, unknown> = {};
  const spelled = new Map<string, string>();
  const problems: string[] = [];
  const failed = new Set<string>();
  let isUnknown = false;
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue;
    const path = pathOf(name, properties);
    const schema = path === undefined ? undefined : schemaAt(path, properties);
    if (path === undefined || schema === undefined) {
      isUnknown = true;
      problems.push(unknownText(name, properties));
      continue;
    }
    const read = readValue(path, value, schema);
    if ('problem' in read) {
      failed.add(path);
      problems.push(read.problem);
      continue;
    }
    const other = spelled.get(path);
    const flat = setAt(fields, path, read.value);
    if (!flat) {
      problems.push(`"${other ?? path}" and "${name}" differ. Send "${path}" alone`);
    }
    spelled.set(path, name);
  }
  return { fields, problems, failed, isUnknown };
}

/** Sets the value of `limits.timeoutMs` or of a plain name; false if it has another value already. */
function setAt(fields: Record<string, unknown>, path: string, value: unknown): boolean {
  const [name = '', inner] = path.split('.');
  const held = fields[name];
  if (inner !== undefined) {
    const inside = isObject(held) ? { ...held } : {};
    fields[name] = inside;
    return setAt(inside, inner, value);
  }
  const merged = isObject(held) && isObject(value) ? { ...held, ...value } : value;
  fields[name] = merged;
  if (held === undefined) return true;
  return isObject(held) && isObject(value)
    ? Object.keys(held).every((key) => value[key] === undefined || value[key] === held[key])
    : held === value;
}

/** Returns the path of the argument that a name spells: `limits.timeoutMs`. */
function pathOf(name: string, properties: Readonly<Record<string, ArgumentSchema>>): string | undefined {
  if (Object.hasOwn(properties, name)) return name;
  const path = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
  const names = namesOf(properties);
  if (path !== undefined && names.includes(path)) return path;
  return names.find((known) => plainKey(known) === plainKey(name));
}

function schemaAt(path: string, properties: Readonly<Record<string, ArgumentSchema>>): ArgumentSchema | undefined {
  const [name = '', inner] = path.split('.');
  const schema = properties[name];
  return inner === undefined ? schema : schema?.properties?.[inner];
}

/** Returns the names of the arguments; those inside of an object have paths. */
function namesOf(properties: Readonly<Record<string, ArgumentSchema>>): string[] {
  return Object.entries(properties).flatMap(([name, { properties: inner }]) =>
    inner ? Object.keys(inner).map((key) => `${name}.${key}`) : [name],
  );
}

function unknownText(name: string, properties: Readonly<Record<string, ArgumentSchema>>): string {
  const paths = namesOf(properties);
  const byLeaf = new Map(paths.map((path) => [path.slice(path.indexOf('.') + 1), path]));
  const synonym = MEANT[plainKey(name)];
  const near = nearestKey(name, [...byLeaf.keys()]);
  const meant = synonym !== undefined && paths.includes(synonym) ? synonym : near && byLeaf.get(near);
  const unit = meant?.endsWith('Ms') ? ', in milliseconds' : '';
  return `unknown argument ${shown(name)}${meant === undefined ? '' : ` (did you mean "${meant}"${unit}?)`}`;
}

function readValue(path: string, value: unknown, schema: ArgumentSchema): Reading {
  if (path === 'language') return readLanguage(value);
  if (schema.enum) return readChoice(path, value, schema.enum);
  switch (schema.type) {
    case 'integer':
      return readCount(path, value);
    case 'boolean':
      return readBoolean(path, value);
    case 'object':
      return readInner(path, value, schema.properties ?? {});
    default:
      return readText(path, value);
  }
}

function readText(path: string, value: unknown): Reading {
  if (typeof value === 'string') return { value };
  const isList = LINES.has(path) && Array.isArray(value) && value.every((line) => typeof line === 'string');
  if (isList) return { value: value.join('\n') };
  return { problem: `"${path}" must be a text, not ${kindOf(value)}` };
}

function readLanguage(value: unknown): Reading {
  const language = typeof value === 'string' ? languageNamed(value) : undefined;
  if (language !== undefined) return { value: language };
  const given = typeof value === 'string' ? shown(value) : kindOf(value);
  return { problem: `"language" must be "typescript" (includes JavaScript) or "python", not ${given}` };
}

function readChoice(path: string, value: unknown, choices: readonly string[]): Reading {
  const choice = choices.find((each) => typeof value === 'string' && plainKey(each) === plainKey(value));
  if (choice !== undefined) return { value: choice };
  const given = typeof value === 'string' ? shown(value) : kindOf(value);
  return { problem: `"${path}" must be ${choices.map((each) => `"${each}"`).join(' or ')}, not ${given}` };
}

function readCount(path: string, value: unknown): Reading {
  const count = typeof value === 'string' && /^\s*\d{1,15}(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(count) && (count as number) > 0) return { value: count };
  const given = typeof value === 'number' ? String(value) : typeof value === 'string' ? shown(value) : kindOf(value);
  return { problem: `"${path}" must be a positive whole number, such as 5, not ${given}` };
}

function readBoolean(path: string, value: unknown): Reading {
  if (typeof value === 'boolean') return { value };
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  if (word === 'true' || word === 'false') return { value: word === 'true' };
  return { problem: `"${path}" must be true or false, not ${word === undefined ? kindOf(value) : shown(word)}` };
}

function readInner(path: string, value: unknown, properties: Readonly<Record<string, ArgumentSchema>>): Reading {
  const read = readObject(parsed(value), properties);
  const example = `{${Object.keys(properties)
    .map((key) => `"${key}": 60000`)
    .join(', ')}}`;
  if ('problem' in read) return { problem: `"${path}" must be an object, such as ${example}, not ${kindOf(value)}` };
  const [first] = read.problems;
  return first === undefined ? { value: read.fields } : { problem: `in "${path}", ${first}` };
}

/** Returns the object of a JSON text: some models encode arguments twice. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trim().startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : 'a text';
}

/** Returns a text of a model for a message: bounded, in quotes. */
function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);
}
