import type { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import type { NodeCatalog } from '../../catalogs/catalog.ts';
import { shortName } from '../../catalogs/names.ts';
import type { JsonObject } from '../../json.ts';
import { labelOf, type Port, portList, portsOfType } from '../../ports/port.ts';
import { inputsOf, outputsOf, ownerOf } from '../../ports/resolve.ts';
import { invalid } from '../../tool.ts';
import type { Link, WrittenLink } from './link.ts';

/** The nodes of a workflow, to find their ports. */
export interface Nodes {
  readonly names: ReadonlySet<string>;
  ports(name: string): { readonly inputs: readonly Port[] | undefined; readonly outputs: readonly Port[] | undefined };
  /** Returns the node with a name; undefined without one. */
  node(name: string): JsonObject | undefined;
  /** Returns whether a node can also be a tool of an agent, under another type. */
  canBeTool(name: string): boolean;
}

/** Outputs of a node whose type the catalog does not know. */
const MAX_UNKNOWN_PORTS = 100;

/** Returns the nodes of a workflow. Their ports are read on request. */
export function nodesOf(nodes: readonly JsonObject[], catalog: NodeCatalog): Nodes {
  const byName = new Map(nodes.map((node) => [String(node.name), node]));
  return {
    names: new Set(byName.keys()),
    node: (name) => byName.get(name),
    ports(name) {
      const owner = ownerOf(byName.get(name) ?? {}, catalog);
      return { inputs: owner && inputsOf(owner), outputs: owner && outputsOf(owner) };
    },
    canBeTool(name) {
      const owner = ownerOf(byName.get(name) ?? {}, catalog);
      return owner?.description.usableAsTool === true;
    },
  };
}

/** Finds the ports of a new connection. Raises `INVALID_ARGUMENTS` with the known nodes or ports. */
export function resolveLink(written: WrittenLink, nodes: Nodes): Link {
  checkNames([written.from, written.to], nodes);
  const { from, to } = written;
  const { outputs } = nodes.ports(from);
  const { inputs } = nodes.ports(to);
  const out = findPort(
    { node: from, what: 'output', ports: outputs, wanted: written.output, type: written.type },
    nodes,
  );
  const into = findPort({ node: to, what: 'input', ports: inputs, wanted: written.input, type: out.type }, nodes);
  return { from, to, type: out.type, output: out.index, input: into.index };
}

interface Search {
  readonly node: string;
  readonly what: 'output' | 'input';
  readonly ports: readonly Port[] | undefined;
  readonly wanted: string | number | undefined;
  readonly type: string | undefined;
}

/** Finds a port by its name or number. Raises `INVALID_ARGUMENTS` with the list of ports. */
function findPort(search: Search, nodes: Nodes): { readonly type: string; readonly index: number } {
  const { node, what, ports, wanted, type } = search;
  if (ports === undefined) return unknownPort(search);
  const fitting = type === undefined ? ports : portsOfType(ports, type);
  if (fitting.length === 0) throw noPort(search, ports, nodes);
  if (wanted === undefined) {
    const first = fitting[0] as Port;
    const alike = portsOfType(ports, first.type);
    const isPlain = alike.length === 1 || (alike.length === 2 && alike[1]?.name === 'Error');
    if (isPlain) return { type: first.type, index: 0 };
    throw invalid(
      `"${node}" has several ${what}s: ${portList(alike)}. Name one: ${example(what, labelOf(alike, first.type, 0))}.`,
    );
  }
  const found = matches(fitting, ports, wanted);
  if (found.length === 1 && found[0]) return found[0];
  if (found.length === 0) throw noPort(search, ports, nodes);
  throw invalid(`"${node}" has ${found.length} ${what}s with the name "${wanted}". Use the number of one, from 0.`);
}

/** Returns the ports that a name or a number means. */
function matches(
  fitting: readonly Port[],
  ports: readonly Port[],
  wanted: string | number,
): { type: string; index: number }[] {
  const places = fitting.map((port) => ({ type: port.type, index: portsOfType(ports, port.type).indexOf(port) }));
  const text = String(wanted).trim().toLowerCase();
  if (typeof wanted === 'string') {
    const named = places.filter((_place, index) => fitting[index]?.name.toLowerCase() === text);
    if (named.length > 0) return named;
    const typed = places.filter(({ type }) => type.toLowerCase() === text);
    if (typed.length > 0) return typed;
  }
  const type = fitting[0]?.type;
  return /^\d+$/.test(text) ? places.filter((place) => place.type === type && place.index === Number(text)) : [];
}

/** Reads the port of a node whose type the catalog does not know. */
function unknownPort({ node, what, wanted = 0, type = 'main' }: Search): { type: string; index: number } {
  const index = Number(wanted);
  if (Number.isInteger(index) && index < MAX_UNKNOWN_PORTS) return { type, index };
  throw invalid(
    `The ${what}s of "${node}" are not known, so "${wanted}" cannot be found. Use a number below ${MAX_UNKNOWN_PORTS}.`,
  );
}

function noPort(search: Search, ports: readonly Port[], nodes: Nodes): ToolwrightError {
  const { node, what, wanted, type } = search;
  const words = wanted === undefined ? ` of type ${type}` : ` ${JSON.stringify(wanted)}`;
  const list = ports.length === 0 ? `It has no ${what}s.` : `Its ${what}s are: ${portList(ports)}.`;
  return invalid(`"${node}" has no ${what}${words}. ${list}${hintFor(search, nodes)}`);
}

function hintFor({ node, what, wanted, type }: Search, nodes: Nodes): string {
  const asked = [String(wanted).toLowerCase(), type];
  if (what === 'output' && asked.includes('error')) return ' Set onError: "continueErrorOutput" for an output "Error".';
  if (what === 'output' && asked.includes('ai_tool') && nodes.canBeTool(node)) {
    return ` For a tool of an agent, use the type "${shortName(String(nodes.node(node)?.type))}Tool".`;
  }
  if (what === 'input' && asked.includes('ai_outputParser')) return ' Set parameters.hasOutputParser: true first.';
  return '';
}

function example(what: 'output' | 'input', label: string): string {
  return what === 'output' ? `"A [${label}] -> B" or output: "${label}"` : `"A -> B [${label}]" or input: "${label}"`;
}

/** Checks that nodes exist. Raises `INVALID_ARGUMENTS` with similar names, or with all names. */
export function checkNames(names: Iterable<string>, nodes: Nodes): void {
  for (const name of names) {
    if (nodes.names.has(name)) continue;
    const ofType = [...nodes.names].filter((each) => isCalled(nodes.node(each), name));
    const near = ofType.length > 0 ? ofType.slice(0, 2) : suggest(name, nodes.names, 2);
    const listed = [...nodes.names].slice(0, MAX_NAMED).map((each) => `"${each}"`);
    const hint =
      near.length > 0
        ? ` Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`
        : ` Its nodes are: ${listed.join(', ') || 'none'}.`;
    throw invalid(`The workflow has no node "${name}".${hint}`);
  }
}

const MAX_NAMED = 20;

/** Returns whether a text is the type of a node, or its id. */
function isCalled(node: JsonObject | undefined, text: string): boolean {
  const plain = (words: string) => words.toLowerCase().replace(/[^a-z0-9]/g, '');
  return node !== undefined && (node.id === text || plain(shortName(String(node.type))) === plain(text));
}
