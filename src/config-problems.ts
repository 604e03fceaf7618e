import type { z } from 'zod';

/** One thing that is wrong with the configuration: where, and what was expected instead of what. */
export interface ConfigProblem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Keys that other programs keep in the same files and that only look like misspelt ones of ours. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(['timeout', 'type', 'envFile', 'dev']);

/** Turns what the schema found into problems that say what was expected and got; values of strings are never quoted. */
export function schemaProblems(error: z.ZodError, base: readonly PropertyKey[]): ConfigProblem[] {
  return error.issues.map((issue) => ({ path: [...base, ...issue.path], text: issueText(issue) }));
}

/** Finds unknown keys that are close to a known one; any other unknown key belongs to another program and is left alone. */
export function typoProblems(value: unknown, known: readonly string[], base: readonly PropertyKey[]): ConfigProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).flatMap((key) => {
    if (known.includes(key) || FOREIGN_KEYS.has(key)) return [];
    const near = known.find((candidate) => isNear(key, candidate));
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
      return typeof issue.input === 'number' ? `expected a positive integer, got ${issue.input}` : 'must not be empty';
    case 'too_big':
      return `expected at most ${issue.maximum}, got ${kindOf(issue.input)}`;
    case 'unrecognized_keys':
      return `unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
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

function isNear(key: string, candidate: string): boolean {
  const allowed = candidate.length <= 5 ? 1 : 2;
  return editDistance(key.toLowerCase(), candidate.toLowerCase()) <= allowed;
}

/** Insertions, deletions, replacements and swaps of neighbours between two short words. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (up: number, left: number): number => rows[i - up]?.[j - left] ?? Number.POSITIVE_INFINITY;
      const replaced = at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(2, 2) + 1 : replaced;
      row.push(Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** Tells a JSON object from everything else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
