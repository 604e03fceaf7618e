import { isNestedDeeperThan } from '../content/json-values.ts';

/** Maximum nesting of one tool definition. The schemas of real servers have at most 30 levels. */
const MAX_LEVELS = 200;
/** Maximum characters of one tool definition as JSON. The largest of a real server has 200,000. */
const MAX_CHARACTERS = 1_000_000;

/** The size of a tool definition, and why it is unusable. */
export interface MeasuredTool {
  /** Characters as JSON; the limit for a definition that is nested too deep to be written. */
  readonly characters: number;
  /** Absent for a usable definition. */
  readonly problem?: string;
}

/** Measures a tool definition of a server. */
export function measureTool(definition: unknown): MeasuredTool {
  if (isNestedDeeperThan(definition, MAX_LEVELS))
    return { characters: MAX_CHARACTERS, problem: `its definition is nested deeper than ${MAX_LEVELS} levels` };
  const { length: characters } = JSON.stringify(definition) ?? '';
  if (characters <= MAX_CHARACTERS) return { characters };
  return { characters, problem: `its definition has ${characters} characters, the limit is ${MAX_CHARACTERS}` };
}
