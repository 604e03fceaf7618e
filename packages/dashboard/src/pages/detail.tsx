import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useSession } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import { Unloaded } from '../parts/unloaded.tsx';
import { clock, count } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { Drawing } from './drawing.tsx';
import { type Graph, type GraphNode, type GraphProblem, graphQuery, stateText } from './graph.ts';
import { ConnectionList, NodeName, NodeTable, Problems } from './texts.tsx';

const route = getRouteApi('/ui/pages/$page/$id/$call');

/** One graph of a page: its drawing, its problems, and the same as text. */
export function GraphDetail(): ReactNode {
  const { page, id, call } = route.useParams();
  const search = route.useSearch();
  const { user } = useSession();
  const userId = search.userId ?? user;
  useTitle('Graph');
  const { data, error, refetch } = useQuery(graphQuery(page, id, call, userId));
  if (!data) return <Unloaded title="Graph" label="Loading the graph" error={error} retry={() => void refetch()} />;
  return (
    <div className="h-full overflow-auto bg-panel">
      <Header graph={data} userId={userId} />
      <Body graph={data} />
    </div>
  );
}

function Header({ graph, userId }: { readonly graph: Graph; readonly userId: string }): ReactNode {
  const { name, executionId, steps, at, nodeCount, connectionCount } = graph;
  return (
    <header className="border-b border-line p-2">
      <h1 className="min-h-8 content-center">{name === '' ? 'No name' : <Text value={name} limit={200} />}</h1>
      <p className="flex flex-wrap gap-x-4 text-muted">
        <span>
          {count(nodeCount)} nodes, {count(connectionCount)} connections
        </span>
        <span>{stateText(graph)}</span>
        <span>
          {steps.join(', ')}, {clock(at)}
        </span>
        <Link
          to="/ui/executions/$id"
          params={{ id: executionId }}
          search={{ userId, call: String(graph.call), tab: 'call' }}
        >
          Execution
        </Link>
      </p>
    </header>
  );
}

function Body({ graph }: { readonly graph: Graph }): ReactNode {
  const { nodes, connections, problems, nodeCount, connectionCount } = graph;
  const { node: chosen, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/ui/pages/$page/$id/$call' });
  const byNode = useMemo(() => problemsByNode(nodes, problems ?? []), [nodes, problems]);
  const problemsOf = useCallback(({ name }: GraphNode) => byNode.get(name) ?? [], [byNode]);
  const index = nodes.findIndex((_node, place) => String(place) === chosen);
  const node = nodes[index];
  const ofWhole = byNode.get(undefined) ?? [];
  const isCut = nodes.length < nodeCount || connections.length < connectionCount;
  return (
    <>
      {isCut && (
        <p className="p-2 text-wait">
          Too large: the page has {count(nodes.length)} nodes and {count(connections.length)} connections of it.
        </p>
      )}
      {problems === undefined && <p className="p-2 text-muted">It was not validated, so its problems are unknown.</p>}
      <Drawing
        graph={graph}
        problemsOf={problemsOf}
        chosen={index === -1 ? undefined : index}
        choose={(next) => void navigate({ search: { ...search, node: String(next) }, replace: true })}
      />
      <div className="grid gap-4 p-3 lg:grid-cols-2">
        <section aria-label="Node" aria-live="polite" className="min-w-0">
          <h2>Node</h2>
          {node ? <Chosen node={node} problems={problemsOf(node)} /> : <p className="text-muted">Choose a node.</p>}
        </section>
        <section aria-label="Problems of the whole" className="min-w-0">
          <h2>Problems of the whole</h2>
          {ofWhole.length === 0 ? <p className="text-muted">None.</p> : <Problems problems={ofWhole} />}
        </section>
        <section aria-label="Nodes as text" className="min-w-0">
          <h2>Nodes</h2>
          <NodeTable nodes={nodes} problemsOf={problemsOf} />
        </section>
        <section aria-label="Connections as text" className="min-w-0">
          <h2>Connections</h2>
          <ConnectionList graph={graph} />
        </section>
      </div>
    </>
  );
}

function Chosen({
  node,
  problems,
}: {
  readonly node: GraphNode;
  readonly problems: readonly GraphProblem[];
}): ReactNode {
  return (
    <>
      <p className="font-semibold">
        <NodeName name={node.name} limit={400} />
      </p>
      <p className="code text-muted">
        <Text value={node.type} limit={400} />
        {node.typeVersion !== undefined && ` version ${node.typeVersion}`}
        {node.disabled && ', disabled'}
      </p>
      {problems.length > 0 && <Problems problems={problems} />}
    </>
  );
}

/** Returns the problems by the name of their node. Those of no node, or of an unknown one, belong to the whole. */
function problemsByNode(
  nodes: readonly GraphNode[],
  problems: readonly GraphProblem[],
): Map<string | undefined, GraphProblem[]> {
  const names = new Set(nodes.map(({ name }) => name));
  const by = new Map<string | undefined, GraphProblem[]>();
  for (const problem of problems) {
    const name = problem.node !== undefined && names.has(problem.node) ? problem.node : undefined;
    by.set(name, [...(by.get(name) ?? []), problem]);
  }
  return by;
}
