import { shorten } from '../content/shorten.ts';

/** One problem at one place in a value. */
export interface Problem {
  /** `options.labels[0]`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

const MAX_LISTED = 6;
const PROBLEM_TOKENS = 40;
const NAME_TOKENS = 12;

/** Returns the path of a property: `options.labels` for the property `labels` of `options`. */
export function propertyPath(path: string, name: string): string {
  const own = /^[\w$-]{1,80}$/.test(name) ? name : JSON.stringify(shorten(name, NAME_TOKENS));
  return path === '' ? own : `${path}.${own}`;
}

/** Returns the problems of a value on one line, separated by semicolons. The first 6 are listed, the others counted. */
export function listProblems(problems: readonly Problem[]): string {
  const listed = problems
    .slice(0, MAX_LISTED)
    .map(({ path, message }) => shorten(path === '' ? message : `${path}: ${message}`, PROBLEM_TOKENS));
  if (problems.length > MAX_LISTED) listed.push(`and ${problems.length - MAX_LISTED} more`);
  return listed.join('; ');
}

/** Returns the message of an `INVALID_ARGUMENTS` error. */
export function invalidArguments(problems: readonly Problem[]): string {
  return `Invalid arguments: ${listProblems(problems)}.`;
}
