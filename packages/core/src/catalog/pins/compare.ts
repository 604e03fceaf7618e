import { fingerprintOf } from '../fingerprint.ts';
import type { ToolDefinition } from '../tool.ts';
import { definitionDiff } from './definition-diff.ts';
import type { PinReason, ServerRecord, StoredPin } from './pin.ts';

/** How a tool differs from the pins of its server. */
export interface Difference {
  readonly reason: PinReason;
  readonly diff?: string;
}

/** Returns the pin of a definition. */
export function pinOf(server: string, definition: ToolDefinition): StoredPin {
  const hash = (name: string) => fingerprintOf([{ id: '', server, definition: { ...definition, name } }]);
  return { fingerprint: hash(definition.name), content: hash(''), definition };
}

/** Compares a tool with the pins of its server. `listed` has the names that the server lists now. */
export function differenceOf(
  definition: ToolDefinition,
  { fingerprint, content }: StoredPin,
  { tools }: ServerRecord,
  listed: ReadonlySet<string>,
): Difference | undefined {
  const pin = tools.get(definition.name);
  if (pin?.fingerprint === fingerprint) return undefined;
  if (pin) return { reason: { code: 'changed', text: 'its definition has changed' }, ...diffOf(pin, definition) };
  for (const [name, pinned] of tools) {
    if (pinned.content !== content || listed.has(name)) continue;
    return { reason: { code: 'renamed', text: `it was pinned under the name ${JSON.stringify(name)}` } };
  }
  return { reason: { code: 'new', text: 'it is not in the first list of its server' } };
}

function diffOf({ definition: before }: StoredPin, after: ToolDefinition): { diff?: string } {
  return before === undefined ? {} : { diff: definitionDiff(before, after) };
}
