import type { ToolDefinition } from '@toolwright/connectors';
import { fingerprintOf } from '../fingerprint.ts';
import { definitionDiff } from './definition-diff.ts';
import type { PinReason, PinSource, ServerRecord, StoredPin } from './pin.ts';

/** How a tool differs from the pins of its server. */
export interface Difference {
  readonly reason: PinReason;
  readonly diff?: string;
}

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
