import { hasManyDigits, holdsInteger } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import type { ToolCallContext } from './call.ts';
import type { RedactedResult } from './redaction/redact.ts';

/** The names that servers give to the place of the next page. */
const NEXT_PAGE = [
  ...[
    'next_cursor',
    'nextCursor',
    'next_page',
    'nextPage',
    'next_page_token',
    'nextPageToken',
    'next_token',
    'nextToken',
  ],
  ...['has_more', 'hasMore', 'has_next_page', 'hasNextPage'],
] as const;

/** Lets the catalog of the user infer the result type of the tool, from redacted data only. */
export function observeResult(
  { journalValue, journalText }: Pick<RedactedResult, 'journalValue' | 'journalText'>,
  { tool }: Pick<ResolvedTool, 'tool'>,
  { catalog }: { readonly catalog: Pick<ToolCallContext['catalog'], 'observe'> },
): void {
  catalog.observe(tool, journalValue, hasManyDigits(journalText) && holdsInteger(journalValue));
}

/** Returns the name of the field that leads to the next page of a result; undefined for the last page, and for results without pages. */
export function nextPageOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  return NEXT_PAGE.find((name) => Object.hasOwn(data, name) && isMore((data as Record<string, unknown>)[name]));
}

function isMore(value: unknown): boolean {
  return value === true || typeof value === 'number' || (typeof value === 'string' && value !== '');
}
