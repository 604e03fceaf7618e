import type { NodeDescription } from '../catalogs/description.ts';
import type { JsonObject } from '../json.ts';

/** One input or output of a node. */
export interface Port {
  /** Connection type: `main`, `ai_tool`, … */
  readonly type: string;
  /** The name in the editor, such as `true` or `Chat Model`. Empty for a port without a name. */
  readonly name: string;
  readonly required?: boolean | undefined;
}

/** The facts about a node that decide its ports. */
export interface PortOwner {
  readonly description: NodeDescription;
  /** With defaults. */
  readonly parameters: JsonObject;
  readonly typeVersion?: number | undefined;
  readonly onError?: unknown;
}

/** Returns the ports of one type. A connection counts them from 0. */
export function portsOfType(ports: readonly Port[], type: string): readonly Port[] {
  return ports.filter((port) => port.type === type);
}

/** Returns the words for a port: its name, its connection type, or its number among several `main` ports. */
export function labelOf(ports: readonly Port[], type: string, index: number): string {
  const alike = portsOfType(ports, type);
  const name = alike[index]?.name;
  if (name) return name;
  if (alike.length > 1) return String(index);
  return type;
}

/** Returns the list of ports for messages: `true, false` or `main, Chat Model (ai_languageModel)`. */
export function portList(ports: readonly Port[]): string {
  const counts = new Map<string, number>();
  const words = ports.map(({ type }) => {
    const index = counts.get(type) ?? 0;
    counts.set(type, index + 1);
    const label = labelOf(ports, type, index);
    return type === 'main' || label === type ? label : `${label} (${type})`;
  });
  return words.join(', ');
}
