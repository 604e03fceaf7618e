import { isNestedDeeperThan } from './json-depth.ts';

/** Maximum nesting of one tool definition. The schemas of real servers have at most 30 levels. */
const MAX_LEVELS = 200;
/** Maximum characters of one tool definition as JSON. The largest of a real server has 200,000. */
const MAX_CHARACTERS = 1_000_000;

/** Returns why a tool definition is unusable; undefined for a usable one. */
export function toolProblem(definition: unknown): string | undefined {
  if (isNestedDeeperThan(definition, MAX_LEVELS)) return `its definition is nested deeper than ${MAX_LEVELS} levels`;
  const { length } = JSON.stringify(definition) ?? '';
  if (length <= MAX_CHARACTERS) return undefined;
  return `its definition has ${length} characters, the limit is ${MAX_CHARACTERS}`;
}
