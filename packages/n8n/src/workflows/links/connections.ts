import { isObject, type JsonObject } from '../../json.ts';
import { labelOf, type Port, portsOfType } from '../../ports/port.ts';
import { invalid } from '../../tool.ts';
import { readGraph } from '../../validation/graph.ts';
import { readWorkflow } from '../../validation/workflow.ts';
import type { Link, WrittenLink } from './link.ts';
import type { Nodes } from './ports.ts';

type Targets = ({ node: string; type: string; index: number }[] | null)[];
type Connections = Record<string, Record<string, Targets>>;

/** Returns all connections that n8n can read, in order. */
export function linksOf(connections: JsonObject): Link[] {
  const { edges } = readGraph(readWorkflow({ nodes: [], connections }));
  return edges.map(({ source, target, type, output, input }) => ({ from: source, to: target, type, output, input }));
}

/** Returns a connection as text: `If [true] -> Slack`, `Model (ai_languageModel) -> Agent`. */
export function linkText({ from, to, type, output, input }: Link, nodes: Nodes): string {
  if (type !== 'main') return `${from} (${type}) -> ${to}${portText(nodes.ports(to).inputs, type, input)}`;
  const left = portText(nodes.ports(from).outputs, type, output);
  return `${from}${left} -> ${to}${portText(nodes.ports(to).inputs, type, input)}`;
}

function portText(ports: readonly Port[] | undefined, type: string, index: number): string {
  const alike = ports === undefined ? [] : portsOfType(ports, type);
  if (index >= alike.length) return index === 0 ? '' : ` [${index}]`;
  return alike.length > 1 ? ` [${labelOf(alike, type, index)}]` : '';
}

/** Adds connections unless they exist. */
export function addLinks(connections: JsonObject, links: readonly Link[]): Connections {
  const copy = structuredClone(connections) as Connections;
  for (const { from, to, type, output, input } of links) {
    const byType = (Object.hasOwn(copy, from) ? copy[from] : undefined) ?? {};
    const outputs = byType[type] ?? [];
    while (outputs.length <= output) outputs.push([]);
    const targets = outputs[output] ?? [];
    if (!targets.some((target) => target?.node === to && (target.index ?? 0) === input)) {
      outputs[output] = [...targets, { node: to, type, index: input }];
    }
    copy[from] = { ...byType, [type]: outputs };
  }
  return copy;
}

/**
 * Removes one connection. Parts that are not written match any. Raises `INVALID_ARGUMENTS` when no connection or several
 * connections match.
 */
export function removeLink(connections: JsonObject, written: WrittenLink, nodes: Nodes): Connections {
  const { from, to } = written;
  const all = linksOf(connections);
  const [found, ...more] = all.filter((link) => isMeant(link, written, nodes));
  const texts = (links: readonly Link[]) =>
    links
      .slice(0, MAX_LISTED)
      .map((link) => `"${linkText(link, nodes)}"`)
      .join(', ');
  if (found === undefined) {
    const between = all.filter((link) => link.from === from && link.to === to);
    const near = between.length > 0 ? between : all.filter((link) => link.from === from || link.to === to);
    const list = near.length > 0 ? ` There is: ${texts(near)}.` : ` Neither node has a connection.`;
    throw invalid(`The workflow has no connection ${writtenText(written)}.${list}`);
  }
  if (more.length > 0) {
    throw invalid(
      `${more.length + 1} connections match ${writtenText(written)}: ${texts([found, ...more])}. Name the output or the input.`,
    );
  }
  return withoutLinks(connections, (link) => isSame(link, found));
}

/** Removes the connections that `isGone` names. */
export function withoutLinks(connections: JsonObject, isGone: (link: Link) => boolean): Connections {
  return withoutEmpty(mapTargets(connections, (link) => (isGone(link) ? undefined : link.to)));
}

const MAX_LISTED = 8;

function isMeant(link: Link, written: WrittenLink, nodes: Nodes): boolean {
  if (link.from !== written.from || link.to !== written.to) return false;
  if (written.type !== undefined && link.type !== written.type) return false;
  const { outputs } = nodes.ports(link.from);
  const { inputs } = nodes.ports(link.to);
  return (
    isPort(written.output, link.type, link.output, outputs) && isPort(written.input, link.type, link.input, inputs)
  );
}

function isPort(
  wanted: string | number | undefined,
  type: string,
  index: number,
  ports: readonly Port[] | undefined,
): boolean {
  if (wanted === undefined || String(wanted) === String(index)) return true;
  const name = ports === undefined ? type : labelOf(ports, type, index);
  return [name, type].some((each) => each.toLowerCase() === String(wanted).trim().toLowerCase());
}

function isSame(a: Link, b: Link): boolean {
  return a.from === b.from && a.to === b.to && a.type === b.type && a.output === b.output && a.input === b.input;
}

function writtenText({ from, to, type, output, input }: WrittenLink): string {
  const port = (value: unknown): string => (value === undefined ? '' : ` [${value}]`);
  return `"${from}${port(output)}${type === undefined ? '' : ` (${type})`} -> ${to}${port(input)}"`;
}

/** Renames a node in all connections; without a new name, removes it from them. */
export function renameInLinks(connections: JsonObject, name: string, to: string | undefined): Connections {
  const renamed = mapTargets(connections, (link) => (link.to === name ? to : link.to));
  const entries = Object.entries(renamed).flatMap(([source, byType]): [string, Record<string, Targets>][] => {
    if (source !== name) return [[source, byType]];
    return to === undefined ? [] : [[to, byType]];
  });
  return to === undefined ? withoutEmpty(Object.fromEntries(entries)) : Object.fromEntries(entries);
}

/** Changes the target of each connection; undefined removes it. Parts that are no connections stay as they are. */
function mapTargets(connections: JsonObject, change: (link: Link) => string | undefined): Connections {
  const copy = structuredClone(connections) as Connections;
  for (const [from, byType] of Object.entries(copy)) {
    for (const [type, outputs] of Object.entries(byType ?? {})) {
      if (!Array.isArray(outputs)) continue;
      byType[type] = outputs.map((targets, output) => {
        if (!Array.isArray(targets)) return targets;
        return targets.flatMap((target) => {
          if (!isObject(target)) return [target];
          const node = change({ from, to: target.node, type, output, input: target.index ?? 0 });
          return node === undefined ? [] : [{ ...target, node }];
        });
      });
    }
  }
  return copy;
}

/** Removes outputs without targets from the end of each list, and entries without outputs. */
function withoutEmpty(connections: Connections): Connections {
  const entries = Object.entries(connections).map(([source, byType]): [string, Record<string, Targets>] => {
    const kept = Object.entries(byType ?? {}).map(([type, outputs]): [string, Targets] => {
      if (!Array.isArray(outputs)) return [type, outputs];
      const last = outputs.findLastIndex((targets) => (targets ?? []).length > 0);
      return [type, outputs.slice(0, last + 1)];
    });
    return [source, Object.fromEntries(kept.filter(([, outputs]) => !Array.isArray(outputs) || outputs.length > 0))];
  });
  return Object.fromEntries(entries.filter(([, byType]) => Object.keys(byType).length > 0));
}
