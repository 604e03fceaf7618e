import type { NodeCatalog } from '../../catalogs/catalog.ts';
import type { JsonObject } from '../../json.ts';
import { invalid } from '../../tool.ts';
import type { WorkflowBody } from '../body.ts';
import { isPosition } from '../layout/place.ts';
import { addLinks, linksOf, linkText, withoutLinks } from '../links/connections.ts';
import { type Link, readEnd } from '../links/link.ts';
import { checkNames, nodesOf, resolveLink } from '../links/ports.ts';

/**
 * Moves a node to a position, or to the place after another node. There it stands between that node and its successors, and the
 * nodes around its old place are connected. Connections of other kinds stay. Raises `INVALID_ARGUMENTS` for a node with several
 * ways in or out: its place is not clear.
 */
export function moveNode(
  workflow: WorkflowBody,
  { name, position, after }: JsonObject,
  catalog: NodeCatalog,
): WorkflowBody {
  const own = String(name);
  const nodes = nodesOf(workflow.nodes, catalog);
  checkNames([own], nodes);
  if ((after === undefined) === (position === undefined) || (position !== undefined && !isPosition(position)))
    throw invalid(
      'moveNode requires a place: {op: "moveNode", name, position: [x, y]} or {op: "moveNode", name, after: "If [true]"}.',
    );
  const place = (workflow: WorkflowBody): WorkflowBody => ({
    ...workflow,
    nodes: workflow.nodes.map((node) => (node.name === own ? { ...node, position } : node)),
  });
  if (after === undefined) return place(workflow);
  const { name: before, port: output, type } = readEnd(String(after), nodes.names);
  if (before === own) throw invalid(`"${own}" cannot stand after itself.`);
  const { output: out } = resolveLink({ from: before, to: own, output, type }, nodes);
  const links = linksOf(workflow.connections).filter((link) => link.type === 'main');
  const [entries, exits] = [links.filter(({ to }) => to === own), links.filter(({ from }) => from === own)];
  const ways = [...entries.map(({ input }) => input), ...exits.map((link) => link.output)];
  if (ways.some((port) => port !== 0) || [...entries, ...exits].some(({ from, to }) => from === to)) {
    const list = [...entries, ...exits].map((link) => `"${linkText(link, nodes)}"`).join(', ');
    throw invalid(`"${own}" has several ways in or out: ${list}. Use disconnect and connect.`);
  }
  const bypass = entries.flatMap(({ from, output }) =>
    exits.map(({ to, input }): Link => ({ from, output, to, input, type: 'main' })),
  );
  const without = addLinks(withoutLinks(workflow.connections, isOf(own)), bypass);
  const next = linksOf(without).filter((link) => link.type === 'main' && link.from === before && link.output === out);
  const rest = withoutLinks(without, (link) => link.type === 'main' && link.from === before && link.output === out);
  const inserted: Link[] = [
    { from: before, output: out, to: own, input: 0, type: 'main' },
    ...next.map(({ to, input }): Link => ({ from: own, output: 0, to, input, type: 'main' })),
  ];
  return place({ ...workflow, connections: addLinks(rest, inserted) });
}

function isOf(name: string): (link: Link) => boolean {
  return ({ type, from, to }) => type === 'main' && (from === name || to === name);
}
