import { z } from 'zod';
import { editDistance } from '../catalog/suggest.ts';

/** One thing that is wrong with the configuration: where, and what was expected instead of what. */
export interface ConfigProblem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Keys that other programs keep in the same files and that only look like misspelt ones of ours. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(['timeout', 'type', 'envFile', 'dev']);

/** Old names of keys, and what they are called now. */
export const RENAMED_KEYS: ReadonlyMap<string, string> = new Map([['ledgerBytes', 'journalBytes']]);

/** How configurations are parsed: with what {@link schemaProblems} tells of. */
export const PARSING: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  // Only here the schema is known that has no such key.
  error: (issue) =>
    issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject
      ? unknownKeysText(issue.keys, Object.keys(issue.inst.shape))
      : undefined,
};

/** Turns what the schema found into problems that say what was expected and got; values of strings are never quoted. */
export function schemaProblems(error: z.ZodError, base: readonly PropertyKey[]): ConfigProblem[] {
  return error.issues.map((issue) => ({ path: [...base, ...issue.path], text: issueText(issue) }));
}

/** Finds unknown keys that are close to a known one; any other unknown key belongs to another program and is left alone. */
export function typoProblems(value: unknown, known: readonly string[], base: readonly PropertyKey[]): ConfigProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).flatMap((key) => {
    if (known.includes(key) || FOREIGN_KEYS.has(key)) return [];
    const near = nearestKey(key, known);
    return near === undefined ? [] : [{ path: [...base, key], text: `unknown key; did you mean "${near}"?` }];
  });
}

/** Writes a path as one would in code: `mcpServers.github.args[1]`, `mcpServers["my server"].url`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'custom':
      return issue.message;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}, got ${kindOf(issue.input)}`;
    case 'invalid_type':
      return `expected ${EXPECTED[issue.expected] ?? issue.expected}, got ${kindOf(issue.input)}`;
    case 'too_small':
      return typeof issue.input === 'number' ? tooSmallText(issue) : 'must not be empty';
    case 'too_big':
      return `expected at most ${issue.maximum}, got ${kindOf(issue.input)}`;
    default:
      return issue.message;
  }
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
  // A schema may say in its own words what the number means.
  if (message.startsWith('expected ')) return message;
  const least = Number(minimum) + (inclusive === false ? 1 : 0);
  return `expected ${least === 1 ? 'a positive integer' : `an integer from ${least} on`}, got ${input}`;
}

/** Says what was probably meant, or which keys there are. */
function unknownKeysText(keys: readonly string[], known: readonly string[]): string {
  const named = keys.map((key) => {
    const renamed = RENAMED_KEYS.get(key);
    if (renamed !== undefined && known.includes(renamed)) return `"${key}", which is now called "${renamed}"`;
    const near = nearestKey(key, known);
    return near === undefined ? JSON.stringify(key) : `${JSON.stringify(key)} (did you mean "${near}"?)`;
  });
  const all = keys.every((key) => RENAMED_KEYS.has(key) || nearestKey(key, known))
    ? ''
    : `; the keys here are: ${known.join(', ')}`;
  return `unknown ${keys.length === 1 ? 'key' : 'keys'} ${named.join(', ')}${all}`;
}

/** Returns the known key that a misspelt key most likely means. */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  return known.find((candidate) => isNear(key, candidate));
}

function isNear(key: string, candidate: string): boolean {
  const allowed = candidate.length <= 5 ? 1 : 2;
  return editDistance(key.toLowerCase(), candidate.toLowerCase(), allowed) <= allowed;
}

/** Tells a JSON object from everything else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
