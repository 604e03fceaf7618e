import type { ToolDefinition } from '@toolwright/connectors';
import { structuredPatch } from 'diff';
import { fingerprintOf } from '../fingerprint.ts';
import { visible } from '../poisoning/finding.ts';
import type { PinReason, PinSource, ServerRecord, StoredPin } from './pin.ts';

/** How a tool differs from the pins of its server. */
interface Difference {
  readonly reason: PinReason;
  readonly diff?: string;
}

/** Equal lines around each change. */
const CONTEXT_LINES = 1;
const MAX_LINES = 200;
/** The diff of two long texts takes too long. */
const MAX_EDIT_LENGTH = 2_000;

/** Returns the pin of a definition. */
export function pinOf({ server, serverKey }: PinSource, definition: ToolDefinition): StoredPin {
  const hash = (name: string) => fingerprintOf([{ id: '', server, definition: { ...definition, name } }]);
  const pin = { fingerprint: hash(definition.name), content: hash(''), definition };
  return serverKey === undefined ? pin : { ...pin, serverKey };
}

/** Compares a tool with the pins of its server. `listed` has the names that the server lists now. */
export function differenceOf(
  definition: ToolDefinition,
  { fingerprint, content, serverKey }: StoredPin,
  { tools }: ServerRecord,
  listed: ReadonlySet<string>,
): Difference | undefined {
  const pin = tools.get(definition.name);
  if (pin && isAnotherServer(pin, serverKey)) {
    const text = 'its server has another command or address than the accepted one';
    const changes = pin.fingerprint === fingerprint ? {} : diffOf(pin, definition);
    return { reason: { code: 'server', text }, ...changes };
  }
  if (pin?.fingerprint === fingerprint) return undefined;
  if (pin) return { reason: { code: 'changed', text: 'its definition has changed' }, ...diffOf(pin, definition) };
  for (const [name, pinned] of tools) {
    if (pinned.content !== content || listed.has(name)) continue;
    return { reason: { code: 'renamed', text: `it was pinned under the name ${JSON.stringify(name)}` } };
  }
  return { reason: { code: 'new', text: 'it is not in the first list of its server' } };
}

/** Returns whether a pin is of another server. One without a key, of an earlier version, fits each. */
export function isAnotherServer(pin: StoredPin, serverKey: string | undefined): boolean {
  return pin.serverKey !== undefined && pin.serverKey !== serverKey;
}

function diffOf({ definition: before }: StoredPin, after: ToolDefinition): { diff?: string } {
  return before === undefined ? {} : { diff: definitionDiff(before, after) };
}

/** Returns the lines in which two definitions differ, with `-` and `+`. Invisible characters have escapes. */
function definitionDiff(before: ToolDefinition, after: ToolDefinition): string {
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
