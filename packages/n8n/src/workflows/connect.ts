import { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import { isObject, type JsonObject } from '../json.ts';

/** A connection to add or remove. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** Connection type. Default: the output type of the source, `ai_languageModel` for a model, else `main`. */
  readonly type: string;
  readonly output: number;
  readonly input: number;
}

type Targets = ({ node: string; type: string; index: number }[] | null)[];
type Connections = Record<string, Record<string, Targets>>;

/** Parses a connection: `"A -> B"`, `["A", "B"]` or `{from, to, output?, input?, type?}`. Raises `INVALID_ARGUMENTS`. */
export function readLink(value: unknown, typeOf: (source: string) => string): Link {
  const parts =
    typeof value === 'string' ? value.split(/\s*->\s*/) : Array.isArray(value) ? value.map(String) : undefined;
  const link: JsonObject = parts ? { from: parts[0], to: parts[1] } : isObject(value) ? value : {};
  const { from, to, output = 0, input = 0, type } = link;
  if (typeof from !== 'string' || typeof to !== 'string' || (parts && parts.length !== 2)) {
    const message = `Cannot read the connection ${JSON.stringify(value)}. Write "A -> B" or {from: "A", to: "B", output: 0, type: "main"}.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  return {
    from,
    to,
    output: Number(output),
    input: Number(input),
    type: typeof type === 'string' ? type : typeOf(from),
  };
}

/** Adds a connection unless it exists. */
export function addLink(connections: JsonObject, { from, to, type, output, input }: Link): Connections {
  const copy = structuredClone(connections) as Connections;
  const outputs = [...(copy[from]?.[type] ?? [])];
  while (outputs.length <= output) outputs.push([]);
  const targets = outputs[output] ?? [];
  if (!targets.some((target) => target.node === to && target.index === input)) {
    outputs[output] = [...targets, { node: to, type, index: input }];
  }
  return { ...copy, [from]: { ...copy[from], [type]: outputs } };
}

/** Removes all connections between two nodes. */
export function removeLink(connections: JsonObject, { from, to }: Pick<Link, 'from' | 'to'>): Connections {
  return mapTargets(connections, (source, target) => (source === from && target === to ? undefined : target));
}

/** Renames a node in all connections; without a new name, removes it from them. */
export function renameInLinks(connections: JsonObject, name: string, to: string | undefined): Connections {
  const renamed = mapTargets(connections, (_source, target) => (target === name ? to : target));
  const entries = Object.entries(renamed).flatMap(([source, byType]): [string, Record<string, Targets>][] => {
    if (source !== name) return [[source, byType]];
    return to === undefined ? [] : [[to, byType]];
  });
  return Object.fromEntries(entries);
}

function mapTargets(
  connections: JsonObject,
  change: (source: string, target: string) => string | undefined,
): Connections {
  const copy = structuredClone(connections) as Connections;
  for (const [source, byType] of Object.entries(copy)) {
    for (const [type, outputs] of Object.entries(byType)) {
      byType[type] = outputs.map((targets) =>
        (targets ?? []).flatMap((target) => {
          const node = change(source, target.node);
          return node === undefined ? [] : [{ ...target, node }];
        }),
      );
    }
  }
  return copy;
}

/** Checks that a node exists. Raises `INVALID_ARGUMENTS` with similar names. */
export function checkNames(names: Iterable<string>, known: ReadonlySet<string>): void {
  for (const name of names) {
    if (known.has(name)) continue;
    const near = suggest(name, known, 2);
    const hint = near.length > 0 ? ` Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?` : '';
    throw new ToolwrightError('INVALID_ARGUMENTS', `The workflow has no node "${name}".${hint}`);
  }
}
