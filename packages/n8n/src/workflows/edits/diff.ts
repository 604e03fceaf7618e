import { isDeepStrictEqual } from 'node:util';
import type { NodeCatalog } from '../../catalogs/catalog.ts';
import { shortName } from '../../catalogs/names.ts';
import { isObject, type JsonObject, shown } from '../../json.ts';
import type { WorkflowBody } from '../body.ts';
import { linksOf, linkText } from '../links/connections.ts';
import { type Link, linkKey } from '../links/link.ts';
import { nodesOf } from '../links/ports.ts';

/** The changes of a workflow, one line for each node, connection and value. */
export interface WorkflowDiff {
  readonly added?: readonly string[];
  readonly changed?: readonly string[];
  readonly removed?: readonly string[];
}

/** Lines of each list. */
const MAX_LINES = 40;
/** Characters of a value in a line. */
const MAX_VALUE_CHARS = 60;

/** Returns the difference of two states of a workflow. Nodes are compared by their ids, so a renamed node stays the same. */
export function diffOf(before: WorkflowBody, after: WorkflowBody, catalog: NodeCatalog): WorkflowDiff {
  const earlier = new Map(before.nodes.map((node) => [keyOf(node), node]));
  const later = new Map(after.nodes.map((node) => [keyOf(node), node]));
  const added = [...later].flatMap(([key, node]) => (earlier.has(key) ? [] : [nodeText(node)]));
  const removed = [...earlier].flatMap(([key, node]) => (later.has(key) ? [] : [nodeText(node)]));
  const changed = [
    ...valueLines('', { name: before.name, settings: before.settings }, { name: after.name, settings: after.settings }),
    ...[...later].flatMap(([key, node]) => nodeLines(earlier.get(key), node)),
  ];
  const newNames = new Map(
    [...later].flatMap(([key, { name }]): [string, string][] => {
      const known = earlier.get(key);
      return known === undefined ? [] : [[String(known.name), String(name)]];
    }),
  );
  const nameNow = (name: string): string => newNames.get(name) ?? name;
  const [links, linksNow] = [linksOf(before.connections), linksOf(after.connections)];
  const renamed = new Set(
    links.map(({ from, to, ...ports }) => linkKey({ ...ports, from: nameNow(from), to: nameNow(to) })),
  );
  const kept = new Set(linksNow.map(linkKey));
  const isGone = ({ from, to, ...ports }: Link) =>
    !kept.has(linkKey({ ...ports, from: nameNow(from), to: nameNow(to) }));
  const text = (workflow: WorkflowBody) => {
    const nodes = nodesOf(workflow.nodes, catalog);
    return (link: Link) => `link ${linkText(link, nodes)}`;
  };
  return {
    ...lines('added', [...added, ...linksNow.filter((link) => !renamed.has(linkKey(link))).map(text(after))]),
    ...lines('changed', changed),
    ...lines('removed', [...removed, ...links.filter(isGone).map(text(before))]),
  };
}

function keyOf({ id, name }: JsonObject): string {
  return String(id ?? name);
}

function nodeText({ name, type }: JsonObject): string {
  return `node ${name} (${shortName(String(type))})`;
}

function nodeLines(before: JsonObject | undefined, after: JsonObject): string[] {
  if (before === undefined) return [];
  return valueLines(`${after.name}: `, { ...before, position: undefined }, { ...after, position: undefined });
}

/** Returns the changed values of two objects, down to the values of nested objects. */
function valueLines(place: string, before: JsonObject, after: JsonObject, path = ''): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [old, now] = [before[key], after[key]];
    if (isDeepStrictEqual(old, now)) return [];
    const inner = `${path}${key}`;
    if (isObject(old) && isObject(now)) return valueLines(place, old, now, `${inner}.`);
    const text = (value: unknown) => (value === undefined ? 'nothing' : shown(value, MAX_VALUE_CHARS));
    return [`${place}${inner}: ${text(old)} → ${text(now)}`];
  });
}

function lines(name: keyof WorkflowDiff, all: readonly string[]): WorkflowDiff {
  if (all.length === 0) return {};
  const more = all.length - MAX_LINES;
  return { [name]: more > 0 ? [...all.slice(0, MAX_LINES), `… and ${more} more`] : all };
}
