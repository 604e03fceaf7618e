import { shorten } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../../../errors.ts';

/** How much of each hit an answer shows: its name, its signature and description, or its whole definition. */
export type DetailLevel = (typeof DETAIL_LEVELS)[number];

/** All detail levels. */
export const DETAIL_LEVELS = ['names', 'summary', 'full'] as const;

/** Returns a detail level, by default `summary`. Raises `INVALID_ARGUMENTS` for an unknown one. */
export function readDetailLevel(value: unknown): DetailLevel {
  const level = DETAIL_LEVELS.find((known) => known === (value ?? 'summary'));
  if (level) return level;
  const shown = shorten(typeof value === 'string' ? value : String(JSON.stringify(value)), 20);
  throw new ToolwrightError(
    'INVALID_ARGUMENTS',
    `There is no detail level "${shown}". The levels are ${DETAIL_LEVELS.join(', ')}.`,
  );
}
