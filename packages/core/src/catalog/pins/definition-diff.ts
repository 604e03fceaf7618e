import type { ToolDefinition } from '@toolwright/connectors';
import { structuredPatch } from 'diff';
import { visible } from '../poisoning/finding.ts';

const CONTEXT_LINES = 1;
const MAX_LINES = 200;
/** The diff of two long texts takes too long. */
const MAX_EDIT_LENGTH = 2_000;

/** Returns the lines in which two definitions differ, with `-` and `+`. Invisible characters have escapes. */
export function definitionDiff(before: ToolDefinition, after: ToolDefinition): string {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH };
  const patch = structuredPatch('', '', linesOf(before), linesOf(after), '', '', options);
  if (patch === undefined) return 'The definitions differ too much to be compared.';
  const lines = patch.hunks.flatMap(({ lines: each }) => [...each, '…']).slice(0, -1);
  const rest = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : [];
  return [...lines.slice(0, MAX_LINES), ...rest].join('\n');
}

function linesOf({ name, title, description, annotations, inputSchema, outputSchema }: ToolDefinition): string {
  const parts = { name, title, description: description?.split('\n'), annotations, inputSchema, outputSchema };
  return visible(JSON.stringify(parts, sortedKeys, 2));
}

/** Objects keep no order: a server that lists keys in another order has changed nothing. */
function sortedKeys(key: string, value: unknown): unknown {
  if (key === '' || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
