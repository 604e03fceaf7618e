import { isObject } from '@toolwright/connectors/internal';
import * as z from 'zod';
import { editDistance } from '../catalog/names/suggest.ts';
import { plainKey, synonymOf } from './synonyms.ts';

/** One problem of the configuration: its path, and the expected and the actual value. */
export interface ConfigProblem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Keys of other programs in the same files. They only look like misspelt keys of Toolwright. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(['timeout', 'type', 'dev']);

/** Old names of keys, with their new names. */
export const RENAMED_KEYS: ReadonlyMap<string, string> = new Map([['ledgerBytes', 'journalBytes']]);

/** Parameters of a strict schema of an object: the message for unknown keys has suggestions. */
export const NAMING_UNKNOWN: { readonly error: (issue: z.core.$ZodRawIssue) => string | undefined } = {
  // Only this callback receives the schema, and so the known keys.
  error: (issue) =>
    issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject
      ? unknownKeysText(issue.keys, Object.keys(issue.inst.shape))
      : undefined,
};

/** Parse options for {@link schemaProblems}: issues contain their input, and unknown keys have suggestions. */
export const PARSING: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  error: (issue) => NAMING_UNKNOWN.error(issue),
};

/**
 * Converts the issues of a schema to problems with the expected and the actual value. They never quote the text of a
 * value.
 */
export function schemaProblems(error: z.ZodError, base: readonly PropertyKey[]): ConfigProblem[] {
  return error.issues.map((issue) => ({ path: [...base, ...issue.path], text: issueText(issue) }));
}

/** An unknown key, and the known key that it most likely means. */
export interface MistakenKey extends ConfigProblem {
  readonly meant: string;
}

/**
 * Finds unknown keys that look like a known key or have its meaning. Any other unknown key belongs to another program and is
 * ignored, and so is a synonym next to the key that it means.
 */
export function typoProblems(value: unknown, known: readonly string[], base: readonly PropertyKey[]): MistakenKey[] {
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    if (known.includes(key) || FOREIGN_KEYS.has(key)) return [];
    const meant = nearestKey(key, known);
    if (meant === undefined || (synonymOf(key, known) === meant && meant in value)) return [];
    return [{ path: [...base, key], meant, text: `unknown key; did you mean "${meant}"?` }];
  });
}

/** Returns a path in the syntax of code: `mcpServers.github.args[1]`, `mcpServers["my server"].url`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** Returns problems as lines, each with its path. */
export function linesOf(problems: readonly ConfigProblem[]): string[] {
  return problems.map(({ path, text }) => (path.length === 0 ? text : `${pathText(path)}: ${text}`));
}

/** Returns all problems of a parsed value in one line: `limits.steps: expected a positive integer, got 0; …`. */
export function problemsText(error: z.ZodError): string {
  return linesOf(schemaProblems(error, [])).join('; ');
}

function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'custom':
      return issue.message;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}, got ${kindOf(issue.input)}${meantValue(issue)}`;
    case 'invalid_type':
      return `expected ${EXPECTED[issue.expected] ?? issue.expected}, got ${kindOf(issue.input)}${
        issue.expected === 'array' && typeof issue.input === 'string' ? '; write it as ["…"]' : ''
      }`;
    case 'too_small':
      return typeof issue.input === 'number' ? tooSmallText(issue) : 'must not be empty';
    case 'too_big':
      return `expected at most ${issue.maximum}, got ${kindOf(issue.input)}`;
    default:
      return issue.message;
  }
}

/** Names the allowed value that a string spells in another way, such as `SSE`. */
function meantValue({ values, input }: z.core.$ZodIssueInvalidValue): string {
  if (typeof input !== 'string') return '';
  const meant = values.find((value) => typeof value === 'string' && isNear(plainKey(input), value));
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a positive integer',
  number: 'a positive integer',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  record: 'an object',
  object: 'an object',
};

function kindOf(input: unknown): string {
  if (input === undefined) return 'nothing';
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'number' || typeof input === 'boolean') return String(input);
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`;
}

function tooSmallText({ minimum, inclusive, message, input }: z.core.$ZodIssueTooSmall): string {
  // A schema may have its own message for the number.
  if (message.startsWith('expected ')) return message;
  const least = Number(minimum) + (inclusive === false ? 1 : 0);
  return `expected ${least === 1 ? 'a positive integer' : `an integer of at least ${least}`}, got ${input}`;
}

/** Names a similar key for each unknown key, or lists the known keys. */
function unknownKeysText(keys: readonly string[], known: readonly string[]): string {
  const named = keys.map((key) => {
    const renamed = RENAMED_KEYS.get(key);
    if (renamed !== undefined && known.includes(renamed)) return `"${key}", which is now called "${renamed}"`;
    const near = nearestKey(key, known);
    return near === undefined ? JSON.stringify(key) : `${JSON.stringify(key)} (did you mean "${near}"?)`;
  });
  const all = keys.every((key) => RENAMED_KEYS.has(key) || nearestKey(key, known))
    ? ''
    : `; the known keys are: ${known.join(', ')}`;
  return `unknown ${keys.length === 1 ? 'key' : 'keys'} ${named.join(', ')}${all}`;
}

/** Returns the known key that an unknown key most likely means: a synonym, else the one with the fewest typos. */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  const near = known.filter((candidate) => isNear(key, candidate));
  return synonymOf(key, known) ?? near.sort((a, b) => typos(key, a) - typos(key, b))[0];
}

function isNear(key: string, candidate: string): boolean {
  return typos(key, candidate) <= maxTypos(candidate);
}

function typos(key: string, candidate: string): number {
  return editDistance(key.toLowerCase(), candidate.toLowerCase(), maxTypos(candidate));
}

function maxTypos(candidate: string): number {
  return candidate.length <= 5 ? 1 : 2;
}
